"""A workspace's folder: what changed in it becomes files, and what wasn't looked at stays as it was."""

from pathlib import Path

import pytest

from agent_contracts.files import LONGEST_PATH
from agent_domain.files.file import FileContent
from foldline_testing.agent_tools.files import MemoryFiles
from workspace_host import limits
from workspace_host.folders.folder import Folder

NAMES = ("a.txt", "b.txt", "c.txt")


class LaidOut:
    """A folder with three files of a session."""

    def __init__(self, place: Path) -> None:
        self.files = MemoryFiles()
        self.folder = Folder(place / "folder")
        self.there = self.folder.view.files

    async def made(self) -> "LaidOut":
        for name in NAMES:
            await self.files.create(name, FileContent(name.encode()))
        self.folder.make()
        assert await self.folder.lay_out(self.files, await self.files.list()) == []
        return self

    async def changes(self) -> dict[str, str]:
        """What a capture makes of it: how each path changed."""
        self.kept = await self.folder.capture(self.files)
        return {one.path: one.change for one in self.kept.changed}

    async def paths(self) -> list[str]:
        return sorted(one.path for one in await self.files.list())


async def test_what_is_made_changed_and_deleted_in_it_is_so_in_the_session(tmp_path: Path) -> None:
    world = await LaidOut(tmp_path).made()
    (world.there / "a.txt").unlink()
    (world.there / "b.txt").write_text("other")
    (world.there / "new.txt").write_text("new")
    assert await world.changes() == {"a.txt": "deleted", "b.txt": "changed", "new.txt": "created"}
    assert await world.paths() == ["b.txt", "c.txt", "new.txt"]
    assert await world.changes() == {}


async def test_where_not_all_was_looked_at_nothing_counts_as_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await LaidOut(tmp_path).made()
    monkeypatch.setattr(limits, "ENTRIES", 1)
    assert await world.changes() == {}
    assert await world.paths() == list(NAMES)
    assert "not all were looked at" in world.kept.not_kept[-1]
    monkeypatch.undo()
    (world.there / "a.txt").unlink()
    assert await world.changes() == {"a.txt": "deleted"}


@pytest.mark.parametrize(("name", "most"), [("CAPTURED", 1), ("CAPTURED_BYTES", 8)])
async def test_more_than_is_captured_at_a_time_is_told_and_captured_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, most: int
) -> None:
    world = await LaidOut(tmp_path).made()
    monkeypatch.setattr(limits, name, most)
    for new in ("x.txt", "y.txt"):
        (world.there / new).write_text("12345")
    assert await world.changes() == {"x.txt": "created"}
    assert world.kept.not_kept == ["y.txt and 0 more: too many at a time"]
    assert await world.changes() == {"y.txt": "created"}


async def test_a_name_that_no_file_can_have_is_told_once_and_the_others_are_kept(tmp_path: Path) -> None:
    world = await LaidOut(tmp_path).made()
    deep = world.there
    while len(str(deep.relative_to(world.there))) <= LONGEST_PATH:
        deep = deep / ("d" * 200)
    deep.mkdir(parents=True)
    (deep / "long.txt").write_text("x")
    (world.there / "fine.txt").write_text("x")
    assert await world.changes() == {"fine.txt": "created"}
    assert len(world.kept.not_kept) == 1
    assert await world.changes() == {}
    assert world.kept.not_kept == []
