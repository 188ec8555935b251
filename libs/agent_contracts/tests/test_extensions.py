"""An extension that can't be used is left out and told; the others are used."""

import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_contracts import extensions
from agent_contracts.channels.kind import ChannelKind
from agent_contracts.channels.registry import check_channel
from agent_contracts.extensions import (
    BROKEN,
    ExtensionFlaw,
    SeenExtension,
    installed,
    installed_at_start,
    loaded,
    looked_over,
)
from agent_contracts.json_value import Json

GOOD = """
from typing import Annotated
from agent_contracts.channels.kind import ChannelKind, ChannelTarget
from agent_contracts.form_inputs import declared

class Pager(ChannelTarget, frozen=True, kw_only=True, tag="{tag}"):
    number: Annotated[str, declared("Number")]

KIND = ChannelKind(shape=Pager, title="Pager", noun="pager", leads_to=("number",), sender="{sender}")
TEXT = "no channel"
"""
POINTS = """
[foldline.channels]
pager = good_pager:KIND
ntfy = good_ntfy:KIND
other = good_pager:KIND
silent = silent:KIND
text = good_pager:TEXT
missing = not_there:KIND
leaves = leaves:KIND
Capital = good_pager:KIND
"""


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A distribution with one good channel and seven others."""
    info = tmp_path / "foldline_pager-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.4\nName: foldline-pager\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    channels = (
        ("good_pager", "pager", "good_pager:TEXT"),
        ("good_ntfy", "ntfy", "a:b"),
        ("silent", "silent", ""),
    )
    for name, tag, sender in channels:
        (tmp_path / f"{name}.py").write_text(GOOD.format(tag=tag, sender=sender))
    (tmp_path / "leaves.py").write_text("import sys; sys.exit(3)")
    monkeypatch.syspath_prepend(str(tmp_path))
    installed.cache_clear()
    BROKEN.clear()  # of other tests of this process
    yield
    installed.cache_clear()
    BROKEN.clear()
    for name in ("unreadable", "good_pager", "good_ntfy", "silent", "leaves"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("there")
def test_those_that_can_be_used_are_and_what_is_wrong_with_the_others_is_said() -> None:
    assert list(loaded("channel", ChannelKind, check_channel)) == ["pager"]
    assert {name: broken.why for (_, name), broken in BROKEN.items()} == {
        "Capital": "nothing can be called 'Capital': it must match [a-z][a-z0-9_]{0,31}",
        "leaves": "SystemExit: 3",
        "missing": "ModuleNotFoundError: No module named 'not_there'",
        "ntfy": "Foldline has a channel ntfy itself",
        "other": "the tag of Pager is 'pager', its entry point 'other'",
        "silent": "it names no `sender`",
        "text": "good_pager:TEXT is no ChannelKind",
    }
    assert {broken.distribution for broken in BROKEN.values()} == {"foldline-pager 1.0"}
    [missing] = [one for one in looked_over() if one.name == "missing"]
    assert missing == SeenExtension(
        "channel", "missing", "foldline-pager 1.0", "ModuleNotFoundError: No module named 'not_there'"
    )
    assert [one.name for one in looked_over() if not one.wrong] == ["pager"]


@pytest.mark.usefixtures("there")
def test_what_it_names_by_text_is_judged_with_it(tmp_path: Path) -> None:
    """A syntax error, a name that isn't there: whoever looks is told the same."""
    (tmp_path / "unreadable.py").write_text("def serve(:")
    for sender, flaw in (
        ("unreadable:Sender", "SyntaxError"),
        ("good_pager:Sender", "has no Sender"),
        ("nowhere:Sender", "No module named 'nowhere'"),
    ):
        sys.modules.pop("good_pager", None)
        BROKEN.clear()
        (tmp_path / "good_pager.py").write_text(GOOD.format(tag="pager", sender=sender))
        importlib.invalidate_caches()
        shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
        [seen] = [one for one in looked_over() if one.name == "pager"]
        assert flaw in seen.wrong


@pytest.mark.usefixtures("there")
def test_what_was_installed_since_the_start_is_used_after_the_next(tmp_path: Path) -> None:
    started = installed_at_start()
    info = tmp_path / "foldline_new-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.4\nName: foldline-new\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[foldline.services]\nnewer = foldline_newer:DECLARATION\n")
    seen = {one.name: one for one in looked_over()}
    assert (seen["newer"].since_start, seen["newer"].wrong) == (True, ""), "it isn't loaded here"
    assert not seen["pager"].since_start
    elsewhere = {one.name: one for one in looked_over(started)}
    assert elsewhere["newer"].since_start
    assert "No module named 'foldline_newer'" in elsewhere["newer"].wrong


def test_each_kind_of_extension_gives_a_type_that_there_is() -> None:
    given: dict[str, Json] = {}
    for kind, point in extensions.POINTS.items():
        if point.gives:
            given[kind] = extensions.named(point.gives).__name__
    assert len(given) == len(extensions.POINTS) - 1
    with pytest.raises(ExtensionFlaw, match="has no NOTHING"):
        extensions.named("agent_contracts.extensions:NOTHING")
