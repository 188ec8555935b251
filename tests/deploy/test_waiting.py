"""No test waits for a fixed time, and none asserts how long something took.

A machine of a test is busy with others. A fixed wait is too short there, and too long everywhere else. Wait
for a condition (`foldline_testing.agent_platform.eventually`), and count what happened instead of measuring
it. A figure that is promised is measured by an entry of `bench/`.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOREVER_S = 60
"""Who sleeps for this long or longer never wakes: something else ends it, which is what is tested."""
REASONS = {
    "work": 56,
    "quiet": 42,
    "clock": 6,
    "poll": 4,
}
"""Why a test sleeps nevertheless, said on its line (`# sleeps: quiet`), and how often. It must not grow.

`work`: it stands for something that takes this long, such as a slow server. `quiet`: nothing may happen, and
nothing that the test could wait for says that it had its turn. `clock`: the time of day has to pass, really.
`poll`: the loop around it looks for a condition in another way than by `while`.
"""
_REASON = re.compile(r"# sleeps: (\w+)")
_CLOCKS = {"monotonic", "perf_counter", "process_time", "time", "monotonic_ns", "perf_counter_ns"}
# Parsing a file takes far longer than to see that it calls none of these.
_CLOCK_CALLED = re.compile(rf"\b(?:{'|'.join(sorted(_CLOCKS))})\(")
_SLEEP_CALLED = re.compile(r"\bsleep\(")


def _sources() -> Iterator[Path]:
    for top in ("libs", "services", "packs", "apps", "tests"):
        for path in (ROOT / top).rglob("*.py"):
            parts = path.relative_to(ROOT).parts
            if "node_modules" not in parts and ({"tests", "foldline_testing"} & {*parts[:-1]}):
                yield path


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_elapsed(node: ast.AST) -> bool:
    """Whether it is a clock's time minus another."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and isinstance(node.left, ast.Call)
        and _name(node.left.func) in _CLOCKS
    )


def elapsed_asserted(code: str) -> list[int]:
    """The lines of the asserts that compare how long something took."""
    if not _CLOCK_CALLED.search(code):
        return []
    tree = ast.parse(code)
    found: list[int] = []
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        names = {
            target.id
            for one in ast.walk(function)
            if isinstance(one, ast.Assign) and any(map(_is_elapsed, ast.walk(one.value)))
            for target in one.targets
            if isinstance(target, ast.Name)
        }
        for one in ast.walk(function):
            if isinstance(one, ast.Assert) and any(
                _is_elapsed(part) or (isinstance(part, ast.Name) and part.id in names)
                for compared in ast.walk(one.test)
                if isinstance(compared, ast.Compare)
                for part in ast.walk(compared)
            ):
                found.append(one.lineno)
    return sorted(set(found))


def fixed_sleeps(code: str) -> list[tuple[int, str]]:
    """The lines of sleeps for a fixed time, and what each says why."""
    if not _SLEEP_CALLED.search(code):
        return []
    lines, found = code.splitlines(), list[tuple[int, str]]()

    def look(node: ast.AST, is_polling: bool) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            is_polling = False
        if isinstance(node, ast.While):
            is_polling = True
        if isinstance(node, ast.Call) and _name(node.func) == "sleep" and node.args and not is_polling:
            length = node.args[0]
            is_turn = isinstance(length, ast.Constant) and length.value == 0
            is_forever = (
                isinstance(length, ast.Constant)
                and isinstance(length.value, int | float)
                and length.value >= FOREVER_S
            )
            if not is_turn and not is_forever:
                reason = _REASON.search(lines[node.lineno - 1])
                found.append((node.lineno, reason[1] if reason else ""))
        for child in ast.iter_child_nodes(node):
            look(child, is_polling)

    look(ast.parse(code), False)
    return found


def test_no_test_asserts_how_long_something_took() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in _sources()
        for line in elapsed_asserted(path.read_text())
    ]
    assert found == [], "count what happened, or measure it in bench/"


def test_no_test_waits_for_a_fixed_time_without_one_of_few_reasons() -> None:
    used: Counter[str] = Counter()
    bare = []
    for path in _sources():
        for line, reason in fixed_sleeps(path.read_text()):
            used[reason] += 1
            if reason not in REASONS:
                bare.append(f"{path.relative_to(ROOT)}:{line} {reason}")
    assert bare == [], "wait for a condition: foldline_testing.agent_platform.eventually"
    assert {reason: used[reason] for reason in REASONS} == REASONS, "fewer? Say so here; never more"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("def t():\n assert time.monotonic() - began < 4", [2]),
        ("def t():\n took = perf_counter() - began\n assert took < 4", [3]),
        ("def t():\n assert max(one, time.time() - began) <= 4", [2]),
        ("def t():\n while time.monotonic() - began < 5: pass", []),
        ("def t():\n assert time.monotonic() < deadline", []),
    ],
)
def test_an_assert_of_elapsed_time_is_seen(code: str, lines: list[int]) -> None:
    assert elapsed_asserted(code) == lines


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("time.sleep(1)", [(1, "")]),
        ("await asyncio.sleep(SETTLES_S)  # sleeps: quiet", [(1, "quiet")]),
        ("while not done:\n time.sleep(0.1)", []),
        ("while True:\n async def f():\n  await asyncio.sleep(1)", [(3, "")]),
        ("await asyncio.sleep(0)", []),
        ("time.sleep(600)", []),
        ("for one in range(3):\n time.sleep(1)", [(2, "")]),
    ],
)
def test_a_fixed_sleep_is_seen(code: str, found: list[tuple[int, str]]) -> None:
    assert fixed_sleeps(code) == found
