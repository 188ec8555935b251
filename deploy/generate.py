"""Writes the files of this folder that follow from the code: `nats/nats.conf` and `packages/*.txt`.

    .venv/bin/python deploy/generate.py

Run it after a change of a service's declaration, of a member's dependencies or of the lock; a test compares.
"""

import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Any

from packaging.markers import Environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from agent_platform.nats.users import authorization_text
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.discovery import discover, rights_of
from agent_platform.services.embedded.nats_config import MAX_FILE_STORE, MAX_PAYLOAD_BYTES

DEPLOY = Path(__file__).parent
REPOSITORY = DEPLOY.parent
STREAMS = "agent_platform.services.streams"
"""What the job `streams` runs. It looks at every service's declaration, and at nothing that they run on."""
BUILD = ("hatchling",)
"""What the members' wheels are built with."""
TARGETS: tuple[Environment, ...] = tuple(
    Environment(
        implementation_name="cpython",
        implementation_version="3.12.0",
        os_name="posix",
        platform_machine=machine,
        platform_python_implementation="CPython",
        platform_release="",
        platform_system="Linux",
        platform_version="",
        python_full_version="3.12.0",
        python_version="3.12",
        sys_platform="linux",
    )
    for machine in ("x86_64", "aarch64")
)
"""What the images run on."""


def nats_conf() -> str:
    """The server's configuration: one server, each append flushed first, a user for each service."""
    return f"""\
# Made by deploy/generate.py. Passwords come from the server's environment; see deploy/make-env.
server_name: foldline
listen: "0.0.0.0:4222"
http: "127.0.0.1:8222"
max_payload: {MAX_PAYLOAD_BYTES}
jetstream {{
  store_dir: "/data"
  sync_interval: always
  max_memory_store: 256MB
  max_file_store: {MAX_FILE_STORE}
}}
{authorization_text(rights_of(discover()))}"""


def packages() -> dict[str, str]:
    """For each image, what it installs: members of this repository, then packages of the lock."""
    services = discover()
    listed = {one.name: _service_image(one) for one in services}
    for one in services:
        for extra in _extras(one):
            listed[f"{one.name}-{extra}"] = _service_image(one, extra)
    return listed | {
        "streams": _streams_image(services),
        "build": _text(["What the members' wheels are built with."], _closure(BUILD)),
    }


def files() -> dict[Path, str]:
    """Every generated file and its text."""
    made = {DEPLOY / "nats" / "nats.conf": nats_conf()}
    return made | {DEPLOY / "packages" / f"{name}.txt": text for name, text in packages().items()}


def _service_image(service: ServiceDeclaration, extra: str | None = None) -> str:
    packs = [name for name, folder in _folders().items() if folder.startswith("packs/")]
    itself = service.module if extra is None else f"{service.module}[{extra}]"
    members = _members_for([itself, *(packs if service.runs_packs else ())])
    name = service.name if extra is None else f"{service.name}-{extra}"
    return _image(name, service.module, members, members)


def _extras(service: ServiceDeclaration) -> Iterable[str]:
    """The optional packages of a service. Each one gets an image of its own."""
    folder = _folders()[canonicalize_name(service.module)]
    return _project(folder).get("optional-dependencies", {})


def _streams_image(services: Iterable[ServiceDeclaration]) -> str:
    """The wheels of all services, for their declarations, without what they run on."""
    return _image(
        "streams", STREAMS, _members_for(one.module for one in services), _members_for(["agent_platform"])
    )


def _image(name: str, module: str, members: dict[str, set[str]], needing: dict[str, set[str]]) -> str:
    """`members` by folder, with the extras asked of each; `needing` are those whose packages it installs."""
    needed = [
        line
        for folder, extras in needing.items()
        for line in _dependencies(folder, extras)
        if canonicalize_name(Requirement(line).name) not in _folders()
    ]
    heading = [
        f"What the image of `{name}` installs: members, then packages of requirements.lock.",
        f"It runs: python -m {module}",
    ]
    return _text(heading, [*(f"./{folder}" for folder in sorted(members)), *_closure(needed)])


def _members_for(modules: Iterable[str]) -> dict[str, set[str]]:
    """The folders of these members and of those that they need, directly or not, each with its extras."""
    folders = _folders()
    found: dict[str, set[str]] = {}
    todo = [Requirement(module.replace("_", "-")) for module in modules]
    while todo:
        requirement = todo.pop()
        folder = folders.get(canonicalize_name(requirement.name))
        if folder is None or (folder in found and requirement.extras <= found[folder]):
            continue
        extras = found.setdefault(folder, set())
        extras |= {"", *requirement.extras}
        todo += [Requirement(line) for line in _dependencies(folder, extras)]
    return found


def _dependencies(folder: str, extras: Iterable[str]) -> list[str]:
    project = _project(folder)
    optional = project.get("optional-dependencies", {})
    return [*project["dependencies"], *(line for extra in extras for line in optional.get(extra, []))]


def _project(folder: str) -> dict[str, Any]:
    with (REPOSITORY / folder / "pyproject.toml").open("rb") as file:
        project: dict[str, Any] = tomllib.load(file)["project"]
    return project


def _folders() -> dict[str, str]:
    """Each member's folder, by the name of its distribution."""
    return {
        canonicalize_name(tomllib.loads(path.read_text())["project"]["name"]): str(
            path.parent.relative_to(REPOSITORY)
        )
        for path in sorted(REPOSITORY.glob("*/*/pyproject.toml"))
    }


def _closure(lines: Iterable[str]) -> list[str]:
    """The packages that these requirements lead to, by what is installed here. Raises for one that isn't."""
    found: set[str] = set()
    done: set[tuple[str, str]] = set()
    todo = [Requirement(line) for line in lines]
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        found.add(name)
        for extra in {"", *requirement.extras}:
            if (name, extra) not in done:
                done.add((name, extra))
                todo += _required(name, extra)
    return sorted(found)


def _required(name: str, extra: str) -> Iterator[Requirement]:
    try:
        lines = requires(name) or []
    except PackageNotFoundError as error:
        raise SystemExit(f"{name} is needed in an image but isn't installed here: make up") from error
    for requirement in map(Requirement, lines):
        marker = requirement.marker
        if marker is None:
            if not extra:
                yield requirement
        elif any(marker.evaluate({**target, "extra": extra}) for target in TARGETS):
            yield requirement


def _text(heading: Iterable[str], lines: Iterable[str]) -> str:
    comments = ["Made by deploy/generate.py.", *heading]
    return "\n".join([*(f"# {line}" for line in comments), *lines, ""])


if __name__ == "__main__":
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
