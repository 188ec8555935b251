"""From a script and a conversation to an answer. Pure but for the clock that `after` is given."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from msgspec import UNSET, structs

from agent_contracts.errors import Rejected
from demo_model.conversation import Conversation, tokens
from demo_model.faults import AnyFault
from demo_model.script import (
    Reply,
    RequestCondition,
    Script,
    ScriptedCall,
    ScriptedUsage,
    ScriptRule,
    StreamPace,
    Texts,
)
from demo_model.templates import TemplateFault, expression_of, text_of, value_of

Clock = Callable[[], datetime]

SEARCHED = 10_000
"""How many characters of a message a regular expression looks at: a huge one must not stall the server."""


class NoRule(Rejected):
    """No rule of the script applies to a request."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="no_rule")


@dataclass(frozen=True)
class AnsweredCall:
    """A tool call as it goes out: arguments are text, and the id may be missing."""

    id: str | None
    name: str
    arguments: str


@dataclass(frozen=True)
class ScriptedAnswer:
    """What the model says to one request."""

    text: str
    calls: tuple[AnsweredCall, ...]
    finish: str
    usage: ScriptedUsage
    """Complete: counted figures filled in."""
    pace: StreamPace
    fault: AnyFault | None
    rule: str
    """The rule's name, else its number in the script: `rules[3]`."""
    place: str
    """Where in the script the answer stands."""
    parts: bool = False
    refusal: str = ""
    thinking: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class RuleChoice:
    """The rule that applies, the reply in it, and the groups its expression matched."""

    rule: ScriptRule
    reply: Reply
    name: str
    place: str
    match: Mapping[int | str, str]


def answer(script: Script, conversation: Conversation, clock: Clock) -> ScriptedAnswer:
    """The answer of the first rule that applies. Raises `NoRule`, and `TemplateFault` if a template fails."""
    choice = choose(script, conversation)
    reply = choice.reply
    names = _names(conversation, choice.match, clock)
    needed = [*choice.rule.needs, *(text_of(tool, names) for tool in reply.needs)]
    missing = [tool for tool in needed if tool not in conversation.tools]
    names["missing"] = missing
    if missing:
        text, calls = text_of(reply.otherwise or choice.rule.otherwise or script.otherwise, names), []
    else:
        text = text_of(reply.text, names)
        calls = _calls(reply.tool_calls, conversation.call, names)
    written = text + "".join(call.name + call.arguments for call in calls)
    return ScriptedAnswer(
        text=text,
        calls=tuple(calls),
        finish=reply.finish or ("tool_calls" if calls else "stop"),
        usage=_counted(reply.usage, conversation.prompt_tokens, tokens(written)),
        pace=reply.pace or script.pace,
        fault=reply.fault or choice.rule.fault,
        rule=choice.name,
        place=choice.place,
        parts=reply.parts,
        refusal=text_of(reply.refusal, names),
        thinking=reply.thinking,
    )


def choose(script: Script, conversation: Conversation) -> RuleChoice:
    """The first rule that applies to the conversation. Raises `NoRule`.

    Clients send what a person says in several messages as one, with blank lines between them: a rule for the
    words of the last paragraph comes before all others.
    """
    before, _, last = conversation.last_user.rpartition("\n\n")
    said_last = _first(script, replace(conversation, last_user=last), by_words=True) if before else None
    found = said_last or _first(script, conversation)
    if found is None:
        raise NoRule(
            f"The script {script.name!r} has no rule for model call {conversation.call} "
            f"(step {conversation.step} after the user message {conversation.last_user[:200]!r}, "
            f"last tool result: {conversation.last_tool})"
        )
    return found


def _first(script: Script, conversation: Conversation, *, by_words: bool = False) -> RuleChoice | None:
    """The first rule that applies; `by_words`: of those with a condition on what the user says."""
    for index, rule in enumerate(script.rules):
        match = matches(rule.when, conversation)
        if match is None or (by_words and not _is_by_words(rule.when)):
            continue
        place = f"rules[{index}]"
        name = rule.name or place
        if rule.reply is not None:
            return RuleChoice(rule, rule.reply, name, f"{place}.reply", match)
        turn = conversation.step - 1
        if rule.turns is not None and turn < len(rule.turns):
            return RuleChoice(rule, rule.turns[turn], name, f"{place}.turns[{turn}]", match)
    return None


def _is_by_words(when: "RequestCondition | str") -> bool:
    return isinstance(when, RequestCondition) and (when.user_contains or when.user_matches) is not None


def matches(when: "RequestCondition | str", conversation: Conversation) -> Mapping[int | str, str] | None:
    """The groups of the condition's expression (empty without one) if the condition holds, else None."""
    if isinstance(when, str):
        return {}
    holds = (
        _contains(conversation.last_user, when.user_contains)
        and _contains(conversation.system, when.system_contains)
        and (when.after_tool is None or conversation.last_tool in _listed(when.after_tool))
        and (when.result_contains is None or conversation.last_tool is not None)
        and _contains(conversation.last_tool_result, when.result_contains)
        and when.failed in (None, bool(conversation.failures))
        and when.call in (None, conversation.call)
        and when.step in (None, conversation.step)
        and all(tool in conversation.tools for tool in when.offered or ())
        and not any(tool in conversation.tools for tool in when.not_offered or ())
    )
    if not holds:
        return None
    if when.user_matches is None:
        return {}
    found = re.search(when.user_matches, conversation.last_user[:SEARCHED], re.IGNORECASE | re.DOTALL)
    if found is None:
        return None
    groups: dict[int | str, str] = dict(enumerate((found[0], *found.groups(""))))
    groups.update(found.groupdict(""))
    return groups


def _contains(text: str, wanted: Texts | None) -> bool:
    return wanted is None or any(entry.lower() in text.lower() for entry in _listed(wanted))


def _listed(texts: Texts) -> Sequence[str]:
    return [texts] if isinstance(texts, str) else texts


def _names(conversation: Conversation, match: Mapping[int | str, str], clock: Clock) -> dict[str, Any]:
    def after(amount: object, unit: str = "seconds") -> str:
        plural = unit.rstrip("s") + "s"
        if plural not in ("seconds", "minutes", "hours", "days", "weeks"):
            raise TemplateFault(f"after: {unit!r} is not a unit of time")
        moment = clock() + timedelta(**{plural: float(str(amount))})
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    return {
        "last_user": conversation.last_user,
        "first_user": conversation.first_user,
        "last_tool_result": conversation.last_tool_result,
        "results": list(conversation.results),
        "result": {call.name: call.result for call in conversation.calls if call.answered},
        "calls": [
            {"name": call.name, "id": call.id, "arguments": call.arguments, "result": call.result}
            for call in conversation.calls
        ],
        "failures": [{"name": call.name, "error": call.result["error"]} for call in conversation.failures],
        "match": match,
        "call": conversation.call,
        "step": conversation.step,
        "users": conversation.users,
        "tools": conversation.tools,
        "offers": conversation.tools.__contains__,
        "system": conversation.system,
        "model": conversation.model,
        "after": after,
    }


def _calls(calls: Sequence[ScriptedCall], number: int, names: Mapping[str, Any]) -> list[AnsweredCall]:
    answered: list[AnsweredCall] = []
    for call in calls:
        for item in [None] if call.each is None else expression_of(call.each, names):
            own = {**names, "item": item}
            arguments = call.raw_arguments
            if arguments is None:
                arguments = json.dumps(value_of(call.arguments, own), ensure_ascii=False)
            given = f"call_{number}_{len(answered) + 1}" if call.id is UNSET else call.id
            answered.append(AnsweredCall(given, text_of(call.name, own), arguments))
    return answered


def _counted(usage: ScriptedUsage, prompt_tokens: int, completion_tokens: int) -> ScriptedUsage:
    return structs.replace(
        usage,
        prompt_tokens=prompt_tokens if usage.prompt_tokens is None else usage.prompt_tokens,
        completion_tokens=completion_tokens if usage.completion_tokens is None else usage.completion_tokens,
    )
