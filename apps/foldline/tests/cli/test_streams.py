"""Commands whose input and output are not what a terminal of today gives."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from agent_contracts.errors import Rejected
from foldline.cli.main import app
from foldline.cli.streams import CommandProgram, written_text

pytestmark = pytest.mark.long

_PRINTS = """
from foldline.cli.output import console, print_json
from foldline.cli.streams import CommandProgram

app = CommandProgram()

@app.command()
def prints(json: bool = False, times: int = 1, ask: bool = False) -> None:
    told = input() if ask else "Gr\\u00fc\\u00dfe \\u2713 \\u65e5\\u672c"
    for _ in range(times):
        print_json({"told": told}) if json else console.print(told, soft_wrap=True)

app()
"""


def _run(
    *words: str, shell: str = "", stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """A command that prints, run by a shell that puts its output somewhere."""
    command = ["sh", "-c", f'"$@" {shell}', "sh", sys.executable, "-c", _PRINTS, *words]
    clean = {name: one for name, one in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    return subprocess.run(
        command, env={**clean, **(env or {})}, input=stdin, capture_output=True, timeout=100
    )


def test_the_command_is_such_a_program() -> None:
    assert isinstance(app, CommandProgram)


@pytest.mark.parametrize(
    ("env", "told"),
    [
        ({"PYTHONIOENCODING": "ascii"}, b"Gr??e ? ??"),
        ({"PYTHONIOENCODING": "latin-1"}, "Grüße ? ??".encode("latin-1")),
        ({"LC_ALL": "C"}, "Grüße ✓ 日本".encode()),
        ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, b"Gr??e ? ??"),
    ],
)
def test_what_an_encoding_lacks_is_replaced(env: dict[str, str], told: bytes) -> None:
    ran = _run(env=env)
    assert (ran.returncode, ran.stdout.strip(), ran.stderr) == (0, told, b"")


def test_json_spells_out_what_an_encoding_lacks() -> None:
    ran = _run("--json", env={"PYTHONIOENCODING": "ascii"})
    assert ran.stdout == b'{"told": "Gr\\u00fc\\u00dfe \\u2713 \\u65e5\\u672c"}\n'


def test_what_is_typed_into_an_ascii_terminal_is_read_as_utf_8() -> None:
    ran = _run("--ask", "--json", stdin="ß\n".encode(), env={"PYTHONIOENCODING": "ascii"})
    assert (ran.stdout, ran.stderr) == (b'{"told": "\\u00df"}\n', b"")


@pytest.mark.parametrize("words", [(), ("--json",), ("--json", "--times", "100000")])
def test_output_that_cannot_be_written_is_told_in_one_sentence(words: tuple[str, ...]) -> None:
    ran = _run(*words, shell="> /dev/full")
    assert ran.returncode == 1
    assert ran.stderr.decode().splitlines() == [
        "✗ The output could not be written: No space left on device. What the command did is not undone"
    ]


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_reader_that_has_seen_enough_is_no_failure_to_tell(words: tuple[str, ...]) -> None:
    ran = _run(*words, "--times", "20000", shell="| head -1")
    assert len(ran.stdout.splitlines()) == 1
    assert ran.stderr == b""


@pytest.mark.parametrize("shell", [">&-", "<&-", "<&- >&- 2>&-", "2>&-"])
def test_a_closed_stream_is_no_failure(shell: str) -> None:
    for words in ((), ("--json",)):
        ran = _run(*words, shell=shell)
        assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_text_that_a_person_wrote_has_no_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    file.write_bytes(b"\xef\xbb\xbf{}")
    assert written_text(file) == "{}"
    file.write_bytes(b"\xff\xfe{\x00}\x00")
    with pytest.raises(Rejected, match="not text in UTF-8"):
        written_text(file)
    with pytest.raises(Rejected, match="can't be read: No such file"):
        written_text(tmp_path / "none")
