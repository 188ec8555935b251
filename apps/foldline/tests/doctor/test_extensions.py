"""What doctor says of extensions: as `foldline check` does, and whether the running Foldline uses them."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from agent_contracts.extensions import BROKEN, installed, installed_at_start
from agent_tools.blocks import BlockKind, BlockShape
from foldline.doctor import extensions as doctor
from foldline.supervisor.announcement import Announcement, announce

_CODE = """
from typing import Literal
from agent_tools.blocks import BlockKind, BlockShape

class Dial(BlockShape):
    '''A dial.'''
    type: Literal["dial"]

DIAL = BlockKind(shape=Dial, code="export default function Dial() { return null }")
"""


class Dial(BlockShape):
    """A dial."""

    type: Literal["dial"]


@pytest.fixture
def dial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A block, installed; gives a data directory."""
    site = tmp_path / "site"
    info = site / "foldline_dial-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.4\nName: foldline-dial\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[foldline.blocks]\ndial = foldline_dial:DIAL\n")
    (site / "foldline_dial.py").write_text(_CODE)
    monkeypatch.syspath_prepend(str(site))
    installed.cache_clear()
    BROKEN.clear()
    yield tmp_path
    installed.cache_clear()
    BROKEN.clear()
    sys.modules.pop("foldline_dial", None)


def runs(data_dir: Path, started_with: frozenset[str]) -> None:
    said = Announcement("http://127.0.0.1:1", "t", "nats://127.0.0.1:1", "", os.getpid(), None, started_with)
    announce(data_dir, said)


def test_one_that_came_since_the_start_needs_a_restart(dial: Path) -> None:
    runs(dial, frozenset())
    found = doctor.extensions(dial)
    assert (found.verdict, found.to_do) == ("warning", "restart Foldline")
    assert "block dial" in found.text
    runs(dial, installed_at_start())
    assert doctor.extensions(dial).verdict == "ok"


def test_a_block_whose_component_cant_be_read_is_a_problem(
    dial: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = {"dial": BlockKind(shape=Dial, code="export default function Dial() { return <b> }")}
    monkeypatch.setattr(doctor, "BLOCK_KINDS", kinds)
    found = doctor.extensions(dial)
    assert found.verdict == "problem"
    assert "block dial (foldline-dial 1.0): its component can't be read" in found.text
