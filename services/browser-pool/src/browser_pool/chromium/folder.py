"""The folders of one Chromium, below the system's temporary one: new at each start, and removed after."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from browser_pool.cage.confined import OWN_ID
from browser_pool.chromium.processes import runs

_PREFIX = "foldline-chromium-"
_PARTS = ("profile", "downloads", "tmp")


@contextmanager
def own_folder() -> Iterator[Path]:
    """The one folder that Chromium may write to, with `profile`, `downloads` and `tmp`; nobody but its user
    and root can look inside."""
    _remove_left_over()
    with _temporary() as folder:
        for part in _PARTS:
            (folder / part).mkdir(mode=0o700)
        if os.geteuid() == 0:
            for path in (folder, *folder.iterdir()):
                os.chown(path, OWN_ID, OWN_ID)
        yield folder


@contextmanager
def reachable(program: Path) -> Iterator[Path]:
    """The program, at a path that Chromium's user can walk to: its own, or that of a copy of its folder (hard
    links, where both are on one disk), as for a program below root's home."""
    if os.geteuid() != 0 or _is_open(program.resolve()):
        yield program
        return
    program = program.resolve()
    with _temporary() as folder:
        folder.chmod(0o755)
        shutil.copytree(
            program.parent,
            folder / "program",
            symlinks=True,
            copy_function=_link,
            ignore_dangling_symlinks=True,
        )
        yield folder / "program" / program.name


def size_of(folder: Path) -> int:
    """Bytes of disk that everything in it takes. What vanishes meanwhile counts nothing."""
    total = 0
    folders = [folder]
    while folders:
        with suppress(FileNotFoundError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry.path))
                else:
                    with suppress(FileNotFoundError):
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
    return total


@contextmanager
def _temporary() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_left_over() -> None:
    """Remove what services left that were killed: the folders name the process."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and not runs(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_open(program: Path) -> bool:
    return program.stat().st_mode & 0o005 == 0o005 and all(
        folder.stat().st_mode & 0o001 for folder in program.parents
    )


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # another disk
        shutil.copy2(source, target)
