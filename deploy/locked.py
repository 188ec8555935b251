"""Prints the part of `requirements.lock` that an image needs, hashes and all, for `pip --require-hashes`.

    python deploy/locked.py NAME        the locked packages of deploy/packages/NAME.txt
    python deploy/locked.py -m NAME     the members instead, for `pip wheel`
    python deploy/locked.py -r NAME     the module that its image runs, for `python -m`

Standard library only: it runs in an image that has nothing else yet. pip itself fails if a package is missing
here, since with hashes it takes no package that isn't listed.
"""

import re
import sys
from pathlib import Path

_REPOSITORY = Path(__file__).parent.parent


def listed(name: str) -> list[str]:
    """The lines of a package list."""
    text = (_REPOSITORY / "deploy" / "packages" / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def entries(lock: str) -> dict[str, str]:
    """The lock's entries by package: a requirement with its marker and its hashes, as they stand there."""
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", lock.strip()):
        match = re.match(r"[A-Za-z0-9._-]+", entry)
        if match:
            name = re.sub(r"[-_.]+", "-", match[0]).lower()
            found[name] = found[name] + "\n" + entry if name in found else entry
    return found


def locked(name: str) -> str:
    """The lock's entries of a package list. Raises SystemExit for a package that isn't locked."""
    known = entries((_REPOSITORY / "requirements.lock").read_text(encoding="utf-8"))
    wanted = [line for line in listed(name) if not line.startswith("./")]
    missing = [package for package in wanted if package not in known]
    if missing:
        raise SystemExit(f"not in requirements.lock: {', '.join(missing)}")
    return "\n".join(known[package] for package in wanted) + "\n"


def members(name: str) -> list[str]:
    """The members of a package list."""
    return [line for line in listed(name) if line.startswith("./")]


def runs(name: str) -> str:
    """The module that the image runs."""
    text = (_REPOSITORY / "deploy" / "packages" / f"{name}.txt").read_text(encoding="utf-8")
    found = re.search(r"^# It runs: python -m (\S+)$", text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"deploy/packages/{name}.txt does not say what its image runs")
    return found[1]


if __name__ == "__main__":
    if sys.argv[1] == "-m":
        print("\n".join(members(sys.argv[2])))
    elif sys.argv[1] == "-r":
        print(runs(sys.argv[2]))
    else:
        sys.stdout.write(locked(sys.argv[1]))
