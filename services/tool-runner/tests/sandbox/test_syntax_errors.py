"""Where the author is told that code ends too early or closes too much, and what is said to be wrong."""

import pytest

from tool_runner.sandbox.brackets import brackets
from tool_runner.sandbox.outcome import FailureKind
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

UNCLOSED = [
    ("f(", 1, 3, "')' is missing, to close the '(' of line 1, column 2"),
    ("const a = 1\nf(a,\n  2", 3, 4, "')' is missing, to close the '(' of line 2, column 2"),
    ("return (1 + 2\n\n\n", 1, 14, "')' is missing, to close the '(' of line 1, column 8"),
    ("f( // not yet", 1, 14, "')' is missing, to close the '(' of line 1, column 2"),
    ("if (x) {", 1, 9, "'}' is missing, to close the '{' of line 1, column 8"),
    ("if (x", 1, 6, "')' is missing, to close the '(' of line 1, column 4"),
    ("for (;;", 1, 8, "')' is missing, to close the '(' of line 1, column 5"),
    ("const a = [1, 2", 1, 16, "']' is missing, to close the '[' of line 1, column 11"),
    ("const a = {b: ')'", 1, 18, "'}' is missing, to close the '{' of line 1, column 11"),
    ("function f() {\n  return 1\n", 2, 11, "'}' is missing, to close the '{' of line 1, column 14"),
    ("class A {\n  f() {\n  }", 3, 4, "'}' is missing, to close the '{' of line 1, column 9"),
    ("return `a ${x", 1, 14, "'}`' is missing, to close the '${' of line 1, column 11 and the '`' of line 1, column 8"),
    ("f({a: [1", 1, 9, "']})' is missing, to close the '[' of line 1, column 7 and the '{' of line 1, column 3 and the '(' of line 1, column 2"),
    ("const a = 1\r\nf(\r\n  a", 3, 4, "')' is missing, to close the '(' of line 2, column 2"),
    ("if (x) {\r\n  y()\r\n", 2, 6, "'}' is missing, to close the '{' of line 1, column 8"),
    ("f(\r  1", 2, 4, "')' is missing, to close the '(' of line 1, column 2"),
    ("f(\u2028 1", 2, 3, "')' is missing, to close the '(' of line 1, column 2"),
    ("const x: number = f(", 1, 21, "')' is missing, to close the '(' of line 1, column 20"),
    ("interface A {\n  b: string\n", 2, 12, "'}' is missing, to close the '{' of line 1, column 13"),
    ("function f(a: string) {\r\n  return a", 2, 11, "'}' is missing, to close the '{' of line 1, column 23"),
    ("const f = (a: number): number => {\n  return a", 2, 11, "'}' is missing, to close the '{' of line 1, column 34"),
    ("f<T>(x", 1, 7, "')' is missing, to close the '(' of line 1, column 5"),
    ("return a +", 1, 11, "its last statement is not complete"),
    ("const x =\n", 1, 10, "its last statement is not complete"),
    ("return a.", 1, 10, "its last statement is not complete"),
    ("try {\n  a()\n}", 3, 2, "its last statement is not complete"),
    ("const a = {b:\r\n", 1, 14, "its last statement is not complete"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "line", "column", "missing"), UNCLOSED)
async def test_code_that_ends_too_early_is_told_so_at_its_own_end(
    sandbox: Sandbox, code: str, line: int, column: int, missing: str
) -> None:
    problem = await sandbox.problem_with(code)
    assert problem is not None
    assert (problem.kind, problem.name) == (FailureKind.SYNTAX, "SyntaxError")
    assert (problem.line, problem.column) == (line, column)
    assert problem.message == f"unexpected end of code: {missing}"
    assert (await sandbox.run(SandboxProgram(code))).error == problem


async def test_a_library_that_ends_too_early_is_told_so_too(sandbox: Sandbox) -> None:
    problem = await sandbox.problem_with("exports.f = () => {\n  return 1\n", "module")
    assert problem is not None
    assert (problem.line, problem.column) == (2, 11)
    assert problem.message.startswith("unexpected end of code: '}' is missing")
    assert problem.stack == "    at code.js:2:11"


@pytest.mark.parametrize(
    ("code", "line", "column", "message"),
    [
        ("}", 1, 1, "unexpected '}': it closes nothing"),
        ("f())\nreturn 1", 1, 4, "unexpected ')': it closes nothing"),
        ("if (a) {\n  b()\n}}\nreturn 1", 3, 2, "unexpected '}': it closes nothing"),
        ("const a: number = g(1))", 1, 23, "unexpected ')': it closes nothing"),
    ],
)
async def test_what_closes_too_much_is_told_where_it_does(
    sandbox: Sandbox, code: str, line: int, column: int, message: str
) -> None:
    problem = await sandbox.problem_with(code)
    assert problem is not None
    assert (problem.line, problem.column, problem.message) == (line, column, message)


@pytest.mark.parametrize(
    ("code", "line", "column"),
    [
        ("const s = 'abc\nf(", 1, 11),
        ("if (x) {\n  y(\n}", 3, 1),
        ("const a = = 1\nf(", 1, 11),
        ("/* never closed", 1, 1),
    ],
)
async def test_other_errors_keep_the_parsers_place(
    sandbox: Sandbox, code: str, line: int, column: int
) -> None:
    problem = await sandbox.problem_with(code)
    assert problem is not None
    assert (problem.line, problem.column) == (line, column)
    assert "end of code" not in problem.message


@pytest.mark.parametrize(
    ("code", "opened", "stray"),
    [
        ("f('(', \"[\", `{`, /* ( */ 1) // {", "", None),
        ("`it's ${f('}', `${(1)}`)} (`", "", None),
        ("`a ${{b: 1}.b} ${", "`${", None),
        ("'\\'(' + `\\`(`", "", None),
        ("({[", "({[", None),
        ("(]", "(", "]"),
        ("/* (", "", None),
        ("(" * 200, "", None),
    ],
)
async def test_brackets_are_counted_as_parsers_do(code: str, opened: str, stray: str | None) -> None:
    found = brackets(code)
    assert "".join(bracket.text for bracket in found.open) == opened
    assert (found.stray and found.stray.text) == stray
