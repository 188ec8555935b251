"""What people read of failures begins with a capital letter, wherever the gateway and the commands say it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = {
    "gateway": ROOT / "services/gateway/src",
    "foldline": ROOT / "apps/foldline/src",
    "agent_domain": ROOT / "libs/agent_domain/src",
}
SAID_IN = {"Rejected": 0, "Transient": 0, "Permanent": 0, "Conflict": 0, "ProblemError": 1, "BadParameter": 0}
"""Where each takes its message."""
PARTS = ("no such time zone on this machine",)
"""What stands within another message's sentence."""


def beginnings(said: ast.expr) -> Iterator[str]:
    """The texts with which a message may begin; a name or value at its beginning is written as it is."""
    match said:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            yield text
        case ast.BinOp(left=left):
            yield from beginnings(left)
        case ast.IfExp(body=one, orelse=other):
            yield from beginnings(one)
            yield from beginnings(other)
        case _:
            return


def messages(file: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            at = SAID_IN.get(name)
            if at is not None and len(node.args) > at:
                yield from ((node.lineno, text) for text in beginnings(node.args[at]))


@pytest.mark.parametrize("name", SOURCES)
def test_problems_begin_with_a_capital_letter(name: str) -> None:
    files = [one for one in SOURCES[name].rglob("*.py") if "testing" not in one.parts]
    found = [(file, line, text) for file in files for line, text in messages(file)]
    assert len(found) > 20  # it looks at something
    wrong = [
        f"{file.relative_to(ROOT)}:{line}: {text}"
        for file, line, text in found
        if text[:1].islower() and "_" not in text.split()[0] and text not in PARTS
    ]
    assert wrong == []


def test_a_message_in_lower_case_would_be_found(tmp_path: Path) -> None:
    file = tmp_path / "some.py"
    file.write_text("raise ProblemError(Kind.X, 'it is' if a else f'the {b}' + c)\n", encoding="utf-8")
    assert [text for _, text in messages(file)] == ["it is", "the "]
