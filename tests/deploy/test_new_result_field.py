"""A field of what a call took and did costs two declarations: who makes it and who draws it come on top."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import agent_contracts
import agent_tools

HERE = Path(__file__).parent
ADDED = {
    "agent_contracts/session_events/results.py": (
        ('    """What an MCP server had models asked."""\n', "    weighed_g: int = 0\n"),
    ),
    "agent_tools/context.py": (
        (
            "    sampled: list[SampledQuestion] = field(default_factory=list)\n",
            "    weights: list[int] = field(default_factory=list)\n",
        ),
        (
            "            sampled=tuple(self.sampled),\n",
            "            weighed_g=sum(self.weights),\n",
        ),
    ),
}


def with_one_more(folder: Path) -> None:
    """Copies of the two packages with one more field."""
    for package in (agent_contracts, agent_tools):
        source = Path(str(package.__file__)).parent
        shutil.copytree(source, folder / source.name)
    for file, lines in ADDED.items():
        text = (folder / file).read_text()
        for after, line in lines:
            assert text.count(after) == 1, after
            text = text.replace(after, after + line)
        (folder / file).write_text(text)


def test_a_new_field_is_in_events_rows_answers_and_the_schema(tmp_path: Path, postgres_dsn: str) -> None:
    with_one_more(tmp_path)
    ran = subprocess.run(
        [sys.executable, str(HERE / "new_result_field.py")],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "DSN": postgres_dsn},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout.splitlines()[-1]) == {
        "events": [430, 430, 430],
        "folded": ["completed"],
        "row": 430,
        "shown": 430,
        "live": 430,
        "schema": {"type": "integer", "default": 0},
    }
