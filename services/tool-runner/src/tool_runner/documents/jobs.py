"""What can be done with documents: the jobs of each family, found in its modules.

A family is a folder here; a module in it may have `JOBS`, functions of bytes and options by name, and
`warm_up`. The job `page` of the folder `pages` is asked for as `pages.page`. Each family has a process of its
own from which its jobs are forked, so that a job costs no memory for the libraries of other families.
"""

import codecs
import contextlib
import encodings.aliases
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from agent_contracts.json_value import Json
from agent_tools.signatures import signature_of

Inputs = tuple[bytes, ...]


class JobOutput(msgspec.Struct, frozen=True):
    """What a job gives: JSON, and files as bytes."""

    value: Json = None
    outputs: tuple[bytes, ...] = ()


Work = Callable[[Inputs, Any], JobOutput]
"""A job: from bytes and options to what it makes, without files, network or clock.

What it may raise: `Rejected`, with a kind of `messages.RefusedKind` and the `path` of the argument at fault.
Anything else says that the bytes can't be read. Options are of the type that the function declares: a struct
of msgspec, or a mapping. Nothing can be opened or imported while it runs; `warm_up` does that before.
"""


class LoadedJob(msgspec.Struct, frozen=True):
    """A job, and the type of its options."""

    work: Work
    options: Any


def jobs_of(family: str) -> Mapping[str, LoadedJob]:
    """Load a family: import its modules and warm them up. Its jobs, by full name, need nothing else then."""
    package = importlib.import_module(f"tool_runner.documents.{family}")
    jobs: dict[str, LoadedJob] = {}
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(found.name)
        for name, work in getattr(module, "JOBS", {}).items():
            (_, (_, options)) = signature_of(work).parameters
            jobs[f"{family}.{name}"] = LoadedJob(work, options)
        getattr(module, "warm_up", lambda: None)()
    return jobs


def load_codecs() -> None:
    """For `warm_up`: every encoding of Python."""
    for codec in {*encodings.aliases.aliases.values(), "utf_8_sig", "idna", "punycode"}:
        with contextlib.suppress(LookupError, ImportError):  # some are Windows' own
            codecs.lookup(codec)


def load_modules(package: Any) -> None:
    """For `warm_up`: everything in a library that it would import only when it is needed."""
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        with contextlib.suppress(ImportError):  # some need what is not installed
            importlib.import_module(module.name)
