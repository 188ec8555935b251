"""Each failure of an operation has one problem over HTTP, of a closed list of kinds."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import gateway
from agent_contracts.api.problems import Kind
from agent_contracts.errors import Conflict, Failure, Permanent, Rejected, Transient
from gateway.http.wire.problems import from_failure, response

PACKAGE = Path(gateway.__file__).parent
BELOW = ("operations", "queries", "live")
FAILURES = ("Rejected", "Transient", "Permanent")


def kinds_raised() -> Iterator[tuple[str, str]]:
    """Where what people can do names a failure's kind, and which."""
    for path in (path for folder in BELOW for path in sorted((PACKAGE / folder).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            for named in node.keywords:
                if node.func.id in FAILURES and named.arg == "kind":
                    where = f"{path.relative_to(PACKAGE)}:{node.lineno}"
                    yield where, str(named.value.value) if isinstance(named.value, ast.Constant) else "?"


def test_each_kind_that_an_operation_names_is_one_of_the_closed_list() -> None:
    found = dict(kinds_raised())
    assert len(found) > 40, "the search finds what is raised"
    closed = {kind.value for kind in Kind}
    passed_on = {where for where, kind in found.items() if kind == "?"}
    assert {where.partition(":")[0] for where in passed_on} == {
        "operations/agents/mcp_logins.py",
        "operations/agents/mcp_prompts.py",
        "operations/agents/pack_settings.py",
        "operations/nats_questions.py",
        "operations/sessions/app_calls.py",
        "operations/sessions/takeovers.py",
        "operations/settings/settings.py",
    }
    assert {where: kind for where, kind in found.items() if kind not in closed | {"?"}} == {}


@pytest.mark.parametrize(
    ("failure", "kind", "status"),
    [
        (Rejected("no", kind="not_found"), Kind.NOT_FOUND, 404),
        (Rejected("no", kind="session_closed"), Kind.SESSION_CLOSED, 409),
        (Rejected("no", kind="code_failed"), Kind.CODE_FAILED, 422),
        (Rejected("no", kind="too_large"), Kind.TOO_LARGE, 413),
        (Rejected("no", kind="of no list"), Kind.INVALID_REQUEST, 422),
        (Conflict("no"), Kind.CONFLICT, 409),
        (Transient("no"), Kind.UNAVAILABLE, 503),
        (Transient("no", kind="projection_behind"), Kind.PROJECTION_BEHIND, 503),
        (Transient("no", kind="no_responders"), Kind.UNAVAILABLE, 503),
        (Permanent("no", kind="internal"), Kind.INTERNAL, 500),
        (Permanent("no"), Kind.INTERNAL, 500),
    ],
)
def test_a_failure_is_a_problem(failure: Failure, kind: Kind, status: int) -> None:
    problem = from_failure(failure)
    assert problem.kind is kind
    assert response(problem).status_code == status


@pytest.mark.parametrize("failure", [Rejected, Transient, Permanent])
def test_what_else_there_is_to_know_is_said(failure: type[Rejected | Transient | Permanent]) -> None:
    problem = from_failure(failure("no", kind="code_failed", details={"path": "/code", "line": 3}))
    assert problem.extra == {"path": "/code", "line": 3}


def test_what_is_busy_says_when_to_come_again() -> None:
    answer = response(from_failure(Transient("busy", retry_after=7)))
    assert answer.headers["retry-after"] == "7"
