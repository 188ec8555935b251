"""What can be done with a document. Each is a function of bytes and options, without files or network."""

import codecs
import contextlib
import encodings.aliases
import importlib
import pkgutil
from collections.abc import Callable, Mapping

import pypdf

from agent_contracts.json_value import Json
from tool_runner.documents.pages import read_page
from tool_runner.documents.pdfs import read_pdf

Reading = Callable[[bytes, Mapping[str, Json]], Json]

JOBS: Mapping[str, Reading] = {"page": read_page, "pdf": read_pdf}

_PAGE = b"<html><head><title>t</title></head><body><article><p>One <a href='/x'>two</a>.</p></article></body>"


def warm_up() -> None:
    """Do what loads files and compiles patterns, since later nothing can be opened any more."""
    for codec in {*encodings.aliases.aliases.values(), "utf_8_sig", "idna", "punycode"}:
        with contextlib.suppress(LookupError, ImportError):  # some are Windows' own
            codecs.lookup(codec)
    for module in pkgutil.walk_packages(pypdf.__path__, "pypdf."):
        with contextlib.suppress(ImportError):  # some need what is not installed
            importlib.import_module(module.name)
    for form in ("markdown", "text", "html"):
        read_page(_PAGE, {"format": form, "content_type": "text/html", "url": "https://a.example/"})
