"""What counts as tokens is said once: with another rule there, everything that counts them counts so."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest

from agent_contracts.api.sessions import SessionSummary
from agent_contracts.ids import AgentId, CallId
from agent_contracts.log.address import Address
from agent_contracts.session_events.decisions import TokenLimitHit
from agent_contracts.session_events.results import Usage
from agent_domain.budgets.ledger import CostSum, Reservation, ReservationRequest, sum_of
from foldline.cli.sessions import sessions as listing
from foldline.cli.sessions import show
from foldline_testing.product.recorded.tables import Tables
from foldline_testing.session_domain.messages import as_messages
from foldline_testing.session_domain.story import SESSION, Story, answers, done, says, story, wants
from gateway.queries import attention, costs, sessions, traces
from gateway.queries.turn_costs import turn_cost
from model_caller.answers.answer import Assembly
from model_caller.calls.bounds import Bounds
from session_domain.domain.rules.needs import ANSWER, least_token_limit
from session_engine.answering.views import session_view

ROOT = Path(__file__).parents[2]
RULE = ROOT / "libs/agent_contracts/src/agent_contracts/session_events/results.py"
READ, WROTE, SPENT = 10, 20, Usage(3, 5)
SOURCES = [
    path
    for kind in ("py", "sql", "ts", "tsx")
    for path in sorted(ROOT.glob(f"*/*/src/**/*.{kind}"))
    if not {"node_modules", "contracts", "demo_model", "foldline_testing"} & set(path.parts)
    and ".test." not in path.name
]
ADDED = re.compile(
    r"""\binput(?:_tokens)?\b['")\]:\w.?>\s]{0,25}\+\s*['"(\[:\w.?>-]{0,25}\boutput(?:_tokens)?\b"""
)


@pytest.fixture
def output_counts_threefold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Usage, "tokens", property(lambda usage: usage.input + 3 * usage.output))
    monkeypatch.setattr(Usage, "output_within", lambda usage, tokens: (tokens - usage.input) // 3)


def stopped_at_its_limit() -> Story:
    """A session whose model and tool used 38 tokens, of which 25 were written; it may use 70."""
    told = story(token_limit=70).given(says("look"))
    call = wants(told, "look")
    told.given(msgspec.structs.replace(answers(told, "", [call]), usage=Usage(READ, WROTE)))
    return told.given(msgspec.structs.replace(done(call.call_id), usage=SPENT))


@pytest.mark.usefixtures("output_counts_threefold")
def test_the_limit_of_a_session_goes_by_the_rule() -> None:
    told = stopped_at_its_limit()
    assert told.recorded[-1].event == TokenLimitHit(used=88, limit=70)
    assert session_view(told.state).usage.tokens == 88
    assert least_token_limit(told.state) == 88 + (READ + WROTE) + 3 * ANSWER
    assert told.state.context_tokens == READ + WROTE  # what is in the window is no matter of the rule


@pytest.mark.usefixtures("output_counts_threefold")
def test_budgets_and_bounds_of_answers_go_by_the_rule() -> None:
    assert sum_of(SPENT) == CostSum(18, unpriced=18)
    wanted = ReservationRequest(100, 1_000, None)
    assert (wanted.at(50).tokens, wanted.answer_within("tokens", 250)) == (250, 50)
    held = Reservation(AgentId("a"), CallId("c"), "2026-01-31", "", CostSum(10**6), heard=100)
    assert held.when_dead().tokens == 3 * (100 + 512)
    said = Assembly()
    said.reported = Usage(100, 50)
    assert [Bounds(tokens_left=left).passed(0, said) for left in (250, 249)] == [False, True]


@pytest.mark.usefixtures("output_counts_threefold")
async def test_rows_answers_and_the_command_line_go_by_the_rule(
    postgres_dsn: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = stopped_at_its_limit()
    async with Tables(postgres_dsn) as tables:
        writer = await tables.empty()
        await writer.write(as_messages(told.recorded, SESSION))
        async with tables.database.snapshot() as snapshot:
            found = await sessions.one(snapshot, SESSION)
            listed = await sessions.page(snapshot, sessions.SessionQuery(), None, 1)
            [waits] = (await attention.page(snapshot, None, None, 9)).items
            spent = (await costs.by_day(snapshot, None, 3660, ZoneInfo("UTC"))).items
            spans = (await traces.trace(snapshot, SESSION, Address(0), None, 9)).items
            turn = await turn_cost(snapshot, "default")
    assert found is not None
    assert found.usage_with_children is not None
    assert turn is not None
    assert (found.usage.tokens, found.usage_with_children.tokens) == (88, 88)
    assert waits.text == "88 of 70"
    assert {(one.model, one.usage.tokens, one.unpriced_tokens) for one in spent} == {
        ("m", 70, 70),
        (None, 18, 18),
    }
    assert {one.kind: one.tokens for one in spans if one.tokens} == {"model_call": 70, "tool_call": 18}
    assert turn.tokens == 70
    [summary] = listed.items
    assert isinstance(summary, SessionSummary)
    assert "88" in listing._row(summary)
    show._print_conversation(session_view(told.state))
    assert "88 of 70 tokens (13 read, 0 of them cached, 25 written)" in " ".join(
        capsys.readouterr().out.split()
    )


def additions(tree: ast.AST) -> Iterator[ast.BinOp]:
    """Where an `input` and an `output` are added."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            sides = [
                {
                    str(getattr(part, "attr", getattr(part, "id", getattr(part, "value", None))))
                    for part in ast.walk(side)
                }
                for side in (node.left, node.right)
            ]
            if any(isinstance(part, ast.Mult) for part in ast.walk(node)):
                continue  # a price
            reads, writes = {"input", "input_tokens"}, {"output", "output_tokens"}
            if (sides[0] & reads and sides[1] & writes) or (sides[0] & writes and sides[1] & reads):
                yield node


def test_nobody_else_adds_what_was_read_and_written() -> None:
    assert len(SOURCES) > 1_000
    found = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for path in SOURCES
        for text in [path.read_text()]
        for match in ADDED.finditer(text)
    ]
    found += [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for path in SOURCES
        if path.suffix == ".py" and {"input", "output"} < set(re.findall(r"[a-z]+", path.read_text()))
        for node in additions(ast.parse(path.read_text()))
    ]
    assert [one for one in found if not one.startswith(str(RULE.relative_to(ROOT)))] == []
    assert len(found) == 4  # both ways find the rule, and what is in the window


@pytest.mark.parametrize(
    "text",
    [
        "usage.input + usage.output",
        "const used = input + output;",
        "(c.usage->>'input')::bigint + (c.usage->>'output')::bigint",
        "s.input_tokens + s.output_tokens",
        'row["input"] + row["output"]',
    ],
)
def test_it_would_be_found(text: str) -> None:
    assert ADDED.search(text)
