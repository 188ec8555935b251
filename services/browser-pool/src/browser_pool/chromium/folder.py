"""The one folder that Chromium may write to. It is empty at each start, and removed after."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from browser_pool.cage.confined import OWN_ID

_PARTS = ("profile", "downloads", "tmp")


@contextmanager
def own_folder() -> Iterator[Path]:
    """The folder, below the system's temporary one, with `profile`, `downloads` and `tmp`; nobody but
    Chromium's user and root can look inside."""
    folder = Path(tempfile.mkdtemp(prefix="foldline-chromium-"))
    try:
        for part in _PARTS:
            (folder / part).mkdir(mode=0o700)
        if os.geteuid() == 0:
            for path in (folder, *folder.iterdir()):
                os.chown(path, OWN_ID, OWN_ID)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def size_of(folder: Path) -> int:
    """Bytes of disk that everything in it takes. What vanishes meanwhile counts nothing."""
    total = 0
    folders = [folder]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
        except FileNotFoundError:
            continue
    return total
