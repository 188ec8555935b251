"""What people are told in a chat, and what their words mean."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agent_contracts.errors import Rejected
from agent_contracts.sessions.open_questions import ASK_USER
from agent_domain.shown import can_be_dismissed, fields_of, options_of, shown_text, submitted, yes_or_no

LONGEST_MESSAGE = 20_000
"""Characters of a message that somebody may write."""
MOST_PIECES = 8
"""Messages that one answer is sent in; the rest can be read in Foldline."""
_LONGEST_ARGUMENTS = 1_000
HELP = "Write what you want to say. /new begins a new conversation, /stop stops what the agent is doing."
STOPPED = "Stopped."
BEGINS = "Your next message begins a new conversation."
ONLY_TEXT = "Only text can be read here."
TOO_LONG = f"That is too long: a message can have {LONGEST_MESSAGE:,} characters. Nothing was sent."
ELSEWHERE = "That was answered elsewhere meanwhile."
EDITED = "An edited message changes nothing here. Write it again."
TOO_EARLY = "You wrote that before you were asked. Answer again."
ANSWER_YES_OR_NO = "Answer yes or no."
_SKIP = "skip"


def introduced(code: str) -> str:
    """What somebody is told whom nobody has allowed."""
    return (
        "This agent doesn't know you yet. Whoever runs it can let you in, within an hour, with\n"
        f"foldline chats allow {code}\nThen write again."
    )


def approval_text(approval: Mapping[str, Any]) -> str:
    """The question whether a call may run."""
    arguments = json.dumps(approval["arguments"], ensure_ascii=False, indent=1)
    if len(arguments) > _LONGEST_ARGUMENTS:
        arguments = f"{arguments[:_LONGEST_ARGUMENTS]} … ({len(arguments):,} characters)"
    return (
        f"{approval['tool']} waits for your approval. {approval['rule']}.\n{arguments}\n\n{ANSWER_YES_OR_NO}"
    )


def question_text(question: Mapping[str, Any]) -> str:
    """What the agent asks, and how it is answered here."""
    show = question["show"]
    return f"{shown_text(show)}\n\n{_how(show, question['session_id'])}"


def _how(show: Mapping[str, Any], session: str) -> str:
    skip = f" Or write {_SKIP}." if can_be_dismissed(show) else ""
    if show.get("kind") == ASK_USER:
        return (
            "Answer with a number, or in your own words." if options_of(show) else "Answer in your own words."
        )
    if fields_of(show):
        return f"Write each value on a line of its own, as name: value.{skip}"
    return f"This can only be answered in Foldline, in session {session}.{skip}"


def answer_of(show: Mapping[str, Any], words: str) -> dict[str, Any]:
    """The body that answers a question with these words. `Rejected` for words that don't."""
    if can_be_dismissed(show) and words.lower() == _SKIP:
        return {"dismiss": True}
    if show.get("kind") == ASK_USER:
        options = options_of(show)
        number = int(words) if words.isascii() and words.isdecimal() and len(words) < 4 else 0
        return {"answer": options[number - 1] if 1 <= number <= len(options) else words}
    fields = fields_of(show)
    if not fields:
        raise Rejected(_how(show, "that waits"))
    lines = [line.partition(":") for line in words.splitlines() if line.strip()]
    if len(fields) == 1 and len(lines) == 1 and not lines[0][1]:
        lines = [(fields[0]["name"], ":", words)]
    written = {name.strip(): value.strip() for name, _, value in lines}
    return {"data": submitted(show, written)["data"]}


def decision_of(words: str) -> str:
    """What the answer to a call means: `once` or `refuse`. `Rejected` for other words."""
    agreed = yes_or_no(words)
    if agreed is None:
        raise Rejected(f"{ANSWER_YES_OR_NO} It still waits.")
    return "once" if agreed else "refuse"


def ending_text(turn: Mapping[str, Any]) -> str:
    """How a turn ended, for whoever began it."""
    answer = turn["answer"] or ""
    why = turn["error"]["message"] if turn["error"] else ""
    match turn["status"]:
        case "completed":
            said = answer or "The agent is done, and says nothing."
        case "failed":
            said = f"That failed: {why or 'nobody knows why'}. Nothing is lost; write again to go on."
        case "refused":
            said = f"Nobody read that: {why or 'this conversation is over'}. Write /new to begin another."
        case "token_limit_reached":
            said = "This conversation has used up its tokens. Write /new to begin another."
        case "rewound":
            said = "The conversation was taken back to before your message."
        case _:
            said = f"{answer}\n\n{STOPPED}".strip()
    return said


def pieces_of(text: str, longest: int) -> Iterator[str]:
    """The text in messages of at most so many characters, parted between paragraphs, lines or words."""
    rest, sent = text.strip(), 0
    while rest:
        sent += 1
        if len(rest) <= longest:
            yield rest
            return
        if sent == MOST_PIECES:
            more = "… (the rest can be read in Foldline)"
            yield rest[: longest - len(more)] + more
            return
        within = rest[: longest + 1]
        ends = (within.rfind(mark) for mark in ("\n\n", "\n", " "))
        end = next((one for one in ends if one > longest // 2), longest)
        yield rest[:end].rstrip()
        rest = rest[end:].lstrip()
