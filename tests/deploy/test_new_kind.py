"""A new kind of thing costs a line and a file; the rest follows: shown by one that is in no other file."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import agent_contracts
from agent_contracts import event_sources

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "extend" / "in-the-source.md").read_text()
MISFIT = "its value can't be that of a recipe: Expected `str`, got `int` - at `$.title`"
FILE = "agent_contracts/kinds/recipe.py"


def with_a_recipe(folder: Path) -> None:
    """A copy of `agent_contracts` with the kind that docs/extend/in-the-source.md declares."""
    shutil.copytree(Path(agent_contracts.__file__).parent, folder / "agent_contracts")
    [block] = re.findall(rf"^File `{FILE}`[^\n]*\n\n```python\n(.*?)^```", PAGE, re.M | re.S)
    (folder / FILE).write_text(block)
    names = folder / "agent_contracts" / "entities" / "entity.py"
    last = '    MODEL_ADAPTATIONS = "model_adaptations"\n'
    assert last in names.read_text()
    names.write_text(names.read_text().replace(last, f'{last}    RECIPE = "recipe"\n'))


def test_a_new_kind_is_written_refused_stored_rewound_and_read(tmp_path: Path, postgres_dsn: str) -> None:
    with_a_recipe(tmp_path)
    ran = subprocess.run(
        [sys.executable, str(HERE / "new_kind.py")],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "DSN": postgres_dsn},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    seen = json.loads(ran.stdout.splitlines()[-1])
    refused, problems = seen.pop("refused"), seen.pop("problems")
    assert seen == {
        "by_agent": {"title": "Bread"},
        "by_person": {"title": "Rye bread", "minutes": 90},
        "after_misfits": {"title": "Rye bread", "minutes": 90},
        "versions": [2, 1],
        "after_rewind": {"title": "Bread"},
        "rows": [["cook", "bread", 3, "Bread", "30"]],
        "flaw": "Expected `str`, got `int` - at `$.title`",
        "writes": [event_sources.GATEWAY, event_sources.RUNNER, event_sources.ENGINE],
        "engine's right": True,
        "noun": "recipe",
        "counted_as": "texts",
        "in": [True, True, True, True],
    }
    assert [one.partition(";")[0] for one in refused] == ["'/scheduler' wrote it for 'service'", MISFIT]
    assert problems == [f"bad_value: {MISFIT}"]
