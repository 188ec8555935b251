"""What programs read of the CLI: one JSON value a line, to every reader of lines."""

import json
from pathlib import Path

import anyio
import pytest

from foldline.cli.agents.mcp_stdio import JsonLineWriter
from foldline.cli.output import print_json

SAID = {"text": "one\u2028two\u2029three\x85four"}


def test_a_value_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_json(SAID)
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line) == SAID


async def test_a_message_of_mcp_is_one_line(tmp_path: Path) -> None:
    place = tmp_path / "out"
    async with await anyio.open_file(str(place), "w", encoding="utf-8") as out:
        await JsonLineWriter(out).write(json.dumps(SAID, ensure_ascii=False) + "\n")
    (line,) = place.read_text("utf-8").splitlines()
    assert json.loads(line) == SAID
