"""Every recipe of docs/api/recipes.md runs as it stands there, in both languages."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/api/recipes.md"
INSTALLED = ROOT / ".make/api-clients"
NODE = ROOT / ".venv/node/bin"
BLOCK = re.compile(r"^```(python|ts) (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WRITES = {"name": "file_write_text", "arguments": {"path": "a.txt", "text": "1"}}
ASKS = {"name": "ask_user", "arguments": {"question": "Which city?"}}
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "Write it down"},
            "turns": [{"tool_calls": [WRITES]}, {"text": "It is written."}],
        },
        {
            "when": {"user_contains": "Ask me"},
            "turns": [{"tool_calls": [ASKS]}, {"tool_calls": [WRITES]}, {"text": "Thank you."}],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
PRINTS = {
    "say": "completed You said: Hello",
    "approve": "allowed: file_write_text\nIt is written.",
    "answer": "Which city?\nThank you.",
    "stream": "You said: Hello",
    "follow": "True foldline.session.created.v1 foldline.session.became_idle.v1",
    "wake": "True",
    "files": "completed list.txt 10",
    "seen": "system user",
    "rewind": "completed\nrewound",
    "prompt": "You are brief. True",
}


class Recipe(NamedTuple):
    """A program of the page."""

    language: str
    name: str
    text: str


def recipes() -> list[Recipe]:
    """All, each after the lines that every program begins with."""
    found = [Recipe(*block) for block in BLOCK.findall(PAGE.read_text())]
    setup = {one.language: one.text for one in found if one.name == "setup"}
    return [one._replace(text=setup[one.language] + one.text) for one in found if one.name != "setup"]


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with (
        ModelServer(SCRIPT) as model,
        Stack(tmp_path_factory.mktemp("recipes"), env=model.environment()) as stack,
    ):
        with stack.gateway() as door:
            rule = {"match": {"tool": WRITES["name"]}, "verdict": "ask"}
            door.put("/agents/default/policy", {"preset": "free", "rules": [rule]})
        yield stack


def test_each_recipe_is_there_in_both_languages() -> None:
    found = {(one.language, one.name) for one in recipes()}
    assert found == {(language, name) for language in ("python", "ts") for name in PRINTS}


@pytest.mark.processes
@pytest.mark.parametrize("recipe", recipes(), ids=lambda one: f"{one.language}-{one.name}")
def test_a_recipe_does_what_the_page_says(recipe: Recipe, stack: Stack, tmp_path: Path) -> None:
    if recipe.language == "python":
        program = tmp_path / "recipe.py"
        program.write_text(recipe.text)
        command = [sys.executable, str(program)]
    else:
        command = ["node", str(compiled(recipe.text, tmp_path))]
    env = {
        "PATH": f"{NODE}:{os.environ['PATH']}",
        "FOLDLINE_URL": stack.url,
        "FOLDLINE_TOKEN": stack.token,
    }
    ran = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip().lower() == PRINTS[recipe.name].lower()


def compiled(text: str, folder: Path) -> Path:
    """A TypeScript program as JavaScript, with its types checked."""
    program = folder / "recipe.mts"
    program.write_text(text)
    types = INSTALLED / "node_modules/@types"
    command = [
        str(INSTALLED / "node_modules/.bin/tsc"),
        *("--strict", "--target", "es2022", "--module", "nodenext"),
        *("--lib", "es2022,dom", "--typeRoots", str(types), "--types", "node", "--outDir", str(folder)),
        str(program),
    ]
    env = {"PATH": f"{NODE}:{os.environ['PATH']}"}
    built = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert built.returncode == 0, built.stdout
    return folder / "recipe.mjs"
