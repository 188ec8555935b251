"""Clients that are generated from the OpenAPI document: without a warning, and one program runs with each."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
INSTALLED = ROOT / ".make/api-clients"
BIN = INSTALLED / "node_modules/.bin"
NODE = ROOT / ".venv/node/bin"
WRITES = {"name": "file_write_text", "arguments": {"path": "a.txt", "text": "1"}}
SCRIPT = {"rules": [{"turns": [{"tool_calls": [WRITES]}, {"text": "It is written."}]}]}
SAID = {"tools": ["file_write_text"], "status": "completed", "answer": "It is written.", "ended": True}

pytestmark = [pytest.mark.processes, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with (
        ModelServer(SCRIPT) as model,
        Stack(tmp_path_factory.mktemp("clients"), env=model.environment()) as stack,
    ):
        with stack.gateway() as door:
            rule = {"match": {"tool": WRITES["name"]}, "verdict": "ask"}
            door.put("/agents/default/policy", {"preset": "free", "rules": [rule]})
        yield stack


@pytest.fixture(scope="module")
def described(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The document as a running Foldline gives it."""
    file = tmp_path_factory.mktemp("described") / "foldline.json"
    with stack.gateway() as door:
        file.write_text(json.dumps(door.get("/../openapi.json")))
    return file


def run(command: list[str], **env: str) -> str:
    """What it printed, on both streams."""
    ran = subprocess.run(
        command,
        env={"PATH": f"{NODE}:{os.environ['PATH']}", "HOME": str(Path.home()), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


def test_the_python_client(stack: Stack, described: Path, tmp_path: Path) -> None:
    config = ROOT / "docs/api/python-client.yml"
    client = tmp_path / "client"
    made = run(
        [
            str(INSTALLED / "python/bin/openapi-python-client"),
            *("generate", "--path", str(described), "--config", str(config), "--output-path", str(client)),
        ]
    )
    assert "arning" not in made, made
    program = str(HERE / "program.py")
    python = str(INSTALLED / "python/bin/python")
    said = run([python, program], PYTHONPATH=str(client), FOLDLINE_URL=stack.url, FOLDLINE_TOKEN=stack.token)
    assert json.loads(said) == SAID


def test_the_typescript_client(stack: Stack, described: Path, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(INSTALLED / "node_modules")
    made = run([str(BIN / "openapi-ts"), "--input", str(described), "--output", str(tmp_path / "client")])
    assert "arn" not in made, made
    types = ("--typeRoots", str(INSTALLED / "node_modules/@types"), "--types", "node")
    program = tmp_path / "program.ts"
    program.write_text((HERE / "program.ts").read_text())
    run(
        [
            str(BIN / "tsc"),
            *("--strict", "--skipLibCheck", "--target", "es2022", "--module", "commonjs"),
            *("--moduleResolution", "node10", "--lib", "es2022,dom,dom.iterable", *types),
            *("--outDir", str(tmp_path / "built"), str(program)),
        ]
    )
    said = run(
        ["node", str(tmp_path / "built/program.js")],
        FOLDLINE_URL=stack.url,
        FOLDLINE_TOKEN=stack.token,
    )
    assert json.loads(said) == SAID
