"""Golden files: one JSON body of every event version ever written. They are never edited."""

import json
from pathlib import Path

import pytest

from agent_contracts.log.record.codec import EVENT_TYPES, decode, encode

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(GOLDEN.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_version_ever_written_still_decodes(path: Path) -> None:
    event = decode(path.stem, path.read_bytes())
    assert type(event) in EVENT_TYPES.values()


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.stem in EVENT_TYPES], ids=lambda path: path.stem
)
def test_a_current_version_is_written_as_it_always_was(path: Path) -> None:
    assert json.loads(encode(decode(path.stem, path.read_bytes()))) == json.loads(path.read_bytes())


def test_every_event_type_has_a_golden_file() -> None:
    assert sorted(EVENT_TYPES) == [path.stem for path in FILES if path.stem in EVENT_TYPES]
