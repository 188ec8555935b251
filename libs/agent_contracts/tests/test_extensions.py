"""An extension that can't be used is left out and told; the others are used."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_contracts import extensions
from agent_contracts.channels.kind import ChannelKind
from agent_contracts.channels.registry import check_channel
from agent_contracts.extensions import BROKEN, ExtensionFlaw, SeenExtension, installed, loaded, looked_over
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
    channels = (("good_pager", "pager", "a:b"), ("good_ntfy", "ntfy", "a:b"), ("silent", "silent", ""))
    for name, tag, sender in channels:
        (tmp_path / f"{name}.py").write_text(GOOD.format(tag=tag, sender=sender))
    (tmp_path / "leaves.py").write_text("import sys; sys.exit(3)")
    monkeypatch.syspath_prepend(str(tmp_path))
    installed.cache_clear()
    BROKEN.clear()  # of other tests of this process
    yield
    installed.cache_clear()
    BROKEN.clear()
    for name in ("good_pager", "good_ntfy", "silent", "leaves"):
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


def test_each_kind_of_extension_gives_a_type_that_there_is() -> None:
    given: dict[str, Json] = {}
    for kind, point in extensions.POINTS.items():
        if point.gives:
            given[kind] = extensions.named(point.gives).__name__
    assert len(given) == len(extensions.POINTS) - 1
    with pytest.raises(ExtensionFlaw, match="has no NOTHING"):
        extensions.named("agent_contracts.extensions:NOTHING")
