"""What an agent shows, as text, and answers to it in words."""

from typing import Any

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.policies import APPROVAL
from agent_contracts.questions.takeover import HAND_OVER
from agent_domain.shown import decided, decisions_of, shown_text, submitted
from foldline.cli.sessions.shown import how_to_answer, waiting_text

FIELDS = [
    {"name": "who", "label": "Who", "type": "text", "required": True, "default": None, "options": None},
    {"name": "nights", "label": "Nights", "type": "number", "default": 2, "options": None},
    {"name": "room", "label": "Room", "type": "select", "options": ["single", "double"]},
    {"name": "agree", "label": "Agree", "type": "checkbox", "required": True, "options": None},
]
FORM: dict[str, Any] = {
    "kind": "render_blocks",
    "title": "Trip",
    "blocks": [{"type": "form", "fields": FIELDS, "submitLabel": "Book"}],
    "answer_schema": {},
}


def blocks(*shown: dict[str, Any]) -> str:
    return shown_text({"kind": "render_blocks", "title": None, "blocks": list(shown)})


def test_all_blocks_are_text() -> None:
    table = {
        "type": "table",
        "columns": [{"key": "a", "label": "City"}, {"key": "b", "label": "N"}],
        "data": [{"a": "Oslo", "b": 1}, {"b": None}] + [{"a": "x"}] * 30,
    }
    text = blocks(table)
    assert text.splitlines()[:3] == ["City  N", "----  -", "Oslo  1"]
    assert text.endswith("… and 12 more rows")
    chart = {"labels": ["May", "June"], "datasets": [{"label": "Cost", "data": [3, None]}]}
    assert blocks({"type": "chart", "chartType": "bar", "data": chart}).splitlines() == [
        "      Cost",
        "----  ----",
        "May   3",
        "June",
    ]
    assert blocks({"type": "code", "language": "py", "content": "a\nb"}) == "    a\n    b"
    assert blocks({"type": "image", "url": "https://example.com/a.png", "alt": None}) == (
        "[picture] https://example.com/a.png"
    )
    assert blocks({"type": "alert", "variant": "warning", "content": "x"}) == "! Warning: x"
    assert blocks({"type": "json", "data": {"a": 1}}) == '{\n  "a": 1\n}'


def test_a_block_that_somebody_added_is_its_fields() -> None:
    props = {"label": "Disk", "percent": 40.0, "marks": [1, 2]}
    gauge = {"type": "frame", "name": "gauge", "code": "export default …", "props": props}
    shown = shown_text({"kind": "render_blocks", "title": "Disk", "blocks": [gauge]})
    assert shown == "# Disk\n\ngauge:\n  label: Disk\n  percent: 40.0\n  marks: [1, 2]"


def test_a_form_says_what_its_fields_take_and_how_to_answer() -> None:
    assert shown_text(FORM).splitlines() == [
        "# Trip",
        "",
        "  who: Who (text, required)",
        "  nights: Nights (number) [2]",
        "  room: Room (single | double)",
        "  agree: Agree (yes | no, required)",
    ]
    assert how_to_answer(FORM, "s_1") == (
        "foldline answer s_1 --field who=… --field nights=… --field room=… --field agree=…"
    )
    assert how_to_answer({"kind": "render_and_wait"}, "s_1") == "foldline answer s_1 --dismiss"


def test_what_was_written_becomes_what_the_fields_take() -> None:
    assert submitted(FORM, {"who": "Ada", "room": "", "agree": "Yes"}) == {
        "action": "submit",
        "data": {"who": "Ada", "nights": 2, "agree": True},
    }


@pytest.mark.parametrize(
    "words", [{"none": "x"}, {"nights": "three"}, {"nights": "true"}, {"agree": "maybe"}]
)
def test_what_no_field_takes_is_refused(words: dict[str, str]) -> None:
    with pytest.raises(Rejected):
        submitted(FORM, words)


ASKED: dict[str, Any] = {
    "kind": "mcp_input",
    "title": "The MCP server trips asks you",
    "description": "",
    "steps": [{"title": None, "description": "Where to?", "fields": FIELDS[:1]}],
}
ADDRESS: dict[str, Any] = {
    **ASKED,
    "steps": [{"title": None, "description": "Pay.", "fields": [], "url": "https://pay.example.org/1?a=b"}],
}


def test_what_a_server_asks_for_is_shown_whole_and_may_be_declined() -> None:
    assert shown_text(ASKED).splitlines() == [
        "# The MCP server trips asks you",
        "",
        "Where to?",
        "  who: Who (text, required)",
    ]
    assert how_to_answer(ASKED, "s_1") == (
        "foldline answer s_1 --field who=…, or foldline answer s_1 --decline"
    )
    assert shown_text(ADDRESS).endswith("Pay.\nhttps://pay.example.org/1?a=b")
    assert how_to_answer(ADDRESS, "s_1") == "foldline answer s_1 --accept, or foldline answer s_1 --decline"
    assert submitted(ADDRESS, {}) == {"action": "submit", "data": {}}


COMMAND: dict[str, Any] = {
    "kind": APPROVAL,
    "tool": "run_command",
    "rule": "Balanced asks before commands",
    "version": 0,
    "commands": {"sandbox": "namespaces"},
    "covers": {"command": "date"},
}


def test_a_call_that_needs_a_yes_is_shown_exactly_and_hints_at_yes_and_no() -> None:
    shown = waiting_text({**COMMAND, "host": "exam\u200bple.com"}, {"command": "date\u202e"})
    assert shown.splitlines() == [
        "run_command waits for your approval. Balanced asks before commands.",
        "{",
        '  "command": "date\\u202e"',
        "}",
        'It wants to send to: {"host": "exam\\u200bple.com"}',
    ]
    assert how_to_answer(COMMAND, "s_1", "m1-00") == ", or ".join(
        f"foldline answer s_1 --call m1-00 {said}" for said in ("yes", "no", "session", "commands", "always")
    )
    once = {"kind": APPROVAL, "tool": "x", "rule": "r"}
    assert how_to_answer(once, "s_1") == "foldline answer s_1 yes, or foldline answer s_1 no"


@pytest.mark.parametrize(
    ("words", "decision"),
    [("yes", "once"), (" Y ", "once"), ("Yes!", "once"), ("once", "once"), ("no", "refuse"), ("N", "refuse")]
    + [(decision, decision) for decision in ("session", "commands", "always", "refuse")],
)
def test_yes_and_no_are_understood(words: str, decision: str) -> None:
    assert decided(COMMAND, words) == {"decision": decision}


def test_a_no_may_have_a_reason_and_other_words_decide_nothing() -> None:
    assert decided(COMMAND, "no", "not today") == {"decision": "refuse", "reason": "not today"}
    for words, reason in (("maybe", ""), ("", ""), ("yes", "why not"), ("no", "x" * 2_001)):
        with pytest.raises(Rejected, match=r"(?i)still waits"):
            decided(COMMAND, words, reason)
    assert decisions_of({"kind": APPROVAL}) == ["once"]
    with pytest.raises(Rejected, match="yes or no"):
        decided({"kind": APPROVAL}, "always")


def test_a_browser_that_was_handed_over_hints_at_how_it_ends() -> None:
    show = {"kind": HAND_OVER, "reason": "Log in"}
    assert shown_text(show).endswith("in the web UI: Log in")
    assert how_to_answer(show, "s_1") == (
        "foldline answer s_1 --accept (once you are done), or foldline answer s_1 --decline"
    )
