"""What `foldline send --file` takes: files, and of a folder those that are really in it."""

from pathlib import Path

import pytest

from agent_contracts.errors import Rejected
from foldline.cli.uploads import local_files


def test_of_a_folder_all_files_are_sent_and_nothing_that_a_link_leads_to(tmp_path: Path) -> None:
    """A link may lead anywhere: to the keys of whoever sends a project of somebody else's."""
    secret = tmp_path / "secret.txt"
    secret.write_text("key")
    folder = tmp_path / "project"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "b.txt").write_text("bb")
    (folder / "a.txt").write_text("a")
    (folder / "link.txt").symlink_to(secret)
    (folder / "up").symlink_to(tmp_path, target_is_directory=True)
    (folder / "gone").symlink_to(tmp_path / "nowhere")
    found = local_files([folder])
    assert [(one.name, one.size) for one in found] == [("project/a.txt", 1), ("project/deep/b.txt", 2)]


def test_a_link_that_is_named_itself_is_meant(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("abc")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    assert [(one.name, one.size) for one in local_files([tmp_path / "link.txt"])] == [("link.txt", 3)]


def test_a_folder_without_files_is_said(tmp_path: Path) -> None:
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    with pytest.raises(Rejected, match="no files to send") as refused:
        local_files([tmp_path])
    assert refused.value.kind == "bad_file"
