"""An interface to models costs a file, a line, and an entry: shown by one that nothing else knows."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import agent_domain
import model_caller

HERE = Path(__file__).parent
FILE = '''"""Lines of text: the question goes as it is, and each line of the answer is a piece."""

from collections.abc import AsyncGenerator

from model_caller.answers.answer import Assembly, AnswerEnding, AnswerPiece
from model_caller.choosing.target import ModelTarget
from model_caller.providers.counting import counted
from model_caller.providers.interface import ModelInterface, ModelList
from model_caller.providers.over_http import OverHttp
from session_domain.model_requests.request import ModelRequest


class Lines(OverHttp):
    async def window(self, target: ModelTarget) -> int | None:
        return 4_000

    async def stream(
        self, request: ModelRequest, target: ModelTarget
    ) -> AsyncGenerator[AnswerPiece | AnswerEnding, None]:
        said = Assembly()
        words = request.messages[-1]["content"].encode()
        async with self._posts.post(f"{target.base_url}/say", {"x-key": target.api_key}, [words]) as answer:
            async for line in answer.aiter_lines():
                yield said.added(AnswerPiece(line + " "))
        yield AnswerEnding("stop", counted(request, said))


def server(target, environ):
    return str(target.base_url), {"x-key": target.api_key}


INTERFACE = ModelInterface(
    provider=Lines,
    models=ModelList(server, "/known", "lines"),
    sends=frozenset({"loud"}),
    thinking=("budget",),
)
'''
LINE = '    "lines": lines.INTERFACE,\n'
ENTRY = '[telegraph]\nlabel = "Telegraph"\ninterface = "lines"\nown = true\n\n'


def with_an_interface(folder: Path, *, entered: bool) -> None:
    """Copies of the two packages, with the file, the line (if it is `entered`) and the entry."""
    for package in (agent_domain, model_caller):
        assert package.__file__ is not None
        shutil.copytree(Path(package.__file__).parent, folder / package.__name__)
    providers = folder / "model_caller" / "providers"
    (providers / "lines.py").write_text(FILE)
    if entered:
        listed = (providers / "interfaces.py").read_text()
        listed = listed.replace("import anthropic, ", "import anthropic, lines, ")
        (providers / "interfaces.py").write_text(
            listed.replace('        "openai":', f'    {LINE}        "openai":')
        )
    entries = folder / "agent_domain" / "model_providers.toml"
    entries.write_text(entries.read_text().replace("[openai]", f"{ENTRY}[openai]", 1))


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(HERE / "new_interface.py")],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_new_interface_is_asked_and_lists_its_models(tmp_path: Path) -> None:
    with_an_interface(tmp_path, entered=True)
    ran = run(tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        "answer": "First line. Second line. ",
        "finished": "stop",
        "window": 4_000,
        "asked": ["POST /say HTTP/1.1", "k-1", "hello"],
        "models": ["telegraph/a", "telegraph/b"],
        "sent": ["loud"],
        "thinking": {"thinking": {"type": "enabled", "budget_tokens": 2_048}},
    }


def test_a_provider_of_an_interface_that_is_not_entered_is_said_at_the_start(tmp_path: Path) -> None:
    with_an_interface(tmp_path, entered=False)
    ran = run(tmp_path)
    assert ran.returncode != 0
    assert "telegraph: no interface lines is known" in ran.stderr
