"""The example of a kind of extension, as installing its wheel would leave it: a folder on Python's path."""

import os
import tomllib
from pathlib import Path

from foldline.kit.making import EXAMPLES, make


def install_example(kind: str, folder: Path) -> dict[str, str]:
    """Install it into a folder. The environment in which it is installed."""
    name = EXAMPLES[kind]
    make(kind, name, folder)
    info = folder / f"foldline_{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: foldline-{name}\nVersion: 1.0\n")
    groups = tomllib.loads((folder / "pyproject.toml").read_text())["project"]["entry-points"]
    (folder / "pyproject.toml").unlink()
    points = (f"[{group}]\n{key} = {value}" for group, one in groups.items() for key, value in one.items())
    (info / "entry_points.txt").write_text("\n".join(points))
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))}
