"""Each trouble that lasts has its end in the log, with how long it took.

A trouble lasts where the work is tried again: in a loop that goes on after it logged a failure. Such work
says so by an `Interruption`, which logs its end. What a supervisor starts again has names of its own.
"""

import ast
import importlib.util
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
ENDS = {
    "process.start_failed": "process.restarted",
    "server.restart_failed": "server.restarted",
    "service.failed": "service.restarted",
}
"""What begins a trouble, and what ends it, where no `Interruption` does."""
NOT_TRIED_AGAIN = {
    "blob.pieces_left": "they stay, and do no harm",
    "chat.refused": "this message would never be taken",
    "checkpoint.not_kept": "it failed for good; a failure that passes is silent until the next checkpoint",
    "message.answer_lost": "the message comes again",
    "snapshot.bug": "the next step of the session is another snapshot",
    "snapshot.not_saved": "the next step of the session is another snapshot",
    "snapshots.unreadable": "one agent's list, that stays so",
    "timer.refused": "it can't be set, ever",
    "work.not_accepted": "who handed it over does it again elsewhere",
}
"""What a loop logs and passes over."""
_RETRIED = {"again_in_s", "retry_in_s", "in_s"}


def _log_events() -> Any:
    loader = SourceFileLoader("log_events", str(ROOT / "scripts/log-events"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


FILES = [
    file
    for part in ("libs", "services", "packs", "apps")
    for file in sorted((ROOT / part).glob("*/src/**/*.py"))
    if "foldline_testing" not in file.parts
]
EVENTS = [event for file in FILES for event in _log_events().found_in(file)]


def _logged(node: ast.AST) -> Iterator[str]:
    for call in ast.walk(node):
        match call:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="log" | "_log"), attr="warning" | "error" | "exception"),
                args=[ast.Constant(value=str(event)), *_],
            ):
                yield event


def _handled(node: ast.AST, exits: tuple[type[ast.stmt], ...]) -> Iterator[str]:
    """What handlers of exceptions log, after which the work goes on."""
    for handler in ast.walk(node):
        if isinstance(handler, ast.ExceptHandler) and not any(
            isinstance(one, exits) for one in ast.walk(handler)
        ):
            yield from _logged(handler)


def passed_over(source: str) -> set[str]:
    """What is logged of failures in loops, and in the functions of the module that a loop calls."""
    tree = ast.parse(source)
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.While)]
    names = {
        node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        for loop in loops
        for node in ast.walk(loop)
        if isinstance(node, ast.Call)
    }
    called = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in names
    ]
    return {
        *(event for loop in loops for event in _handled(loop, (ast.Raise, ast.Return, ast.Break))),
        *(event for function in called for event in _handled(function, (ast.Raise,))),
    }


def test_work_that_is_tried_again_says_when_it_continues() -> None:
    found = {event: file for file in FILES for event in passed_over(file.read_text())}
    known = {*ENDS, *NOT_TRIED_AGAIN}
    untold = {event: str(found[event].relative_to(ROOT)) for event in found.keys() - known}
    assert untold == {}, "tried again? Use Interruption, which logs the end as well"
    assert known <= found.keys(), "no longer logged"


def test_who_says_when_it_tries_again_says_when_that_was_over() -> None:
    told = {event.name for event in EVENTS if event.level != "info" and _RETRIED & {*event.fields}}
    assert {name for name in told if not name.endswith(".interrupted")} == set()


@pytest.mark.parametrize("file", [one for one in FILES if "Interruption(" in one.read_text()], ids=str)
def test_who_tells_of_an_interruption_tells_of_its_end(file: Path) -> None:
    called = {
        node.func.attr
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    if file.name not in ("interruption.py", "server_place.py"):  # whose place is looked at elsewhere
        assert "tried" in called or {"hit", "over"} <= called


@pytest.mark.parametrize(
    "end", [*sorted({*ENDS.values()}), "nats.back", "server.stores_again", "model.answers_again"]
)
def test_an_end_says_how_long_it_took(end: str) -> None:
    logged = [event for event in EVENTS if event.name == end]
    assert logged
    assert all("after_s" in event.fields for event in logged)


def test_a_failure_that_a_loop_passes_over_is_found() -> None:
    loop = "while True:\n    try:\n        work()\n    except OSError:\n        log.warning('a.b')\n"
    assert passed_over(loop) == {"a.b"}
    assert passed_over(loop + "        raise\n") == set()
    inside = "def work():\n    try:\n        act()\n    except OSError:\n        log.warning('c.d')\n"
    assert passed_over(inside) == set()
    assert passed_over(inside + loop) == {"a.b", "c.d"}
