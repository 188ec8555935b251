"""What each tool call that a model asked for means, given the tools it was offered. Pure."""

import difflib
import json
import re
from collections.abc import Iterable

import msgspec

from agent_contracts.errors import ErrorKind, Rejected, ToolError
from agent_contracts.ids import CallId, tool_call_id
from agent_contracts.json_reader import FROM_MODELS, read_json
from agent_contracts.json_value import Json
from agent_contracts.session_events.results import ResolvedCall
from agent_contracts.tool_spec import ToolSpec
from agent_platform.log.storable_text import storable, storable_text
from model_caller.answers.answer import AskedCall
from session_domain.domain.prompt import Known

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_QUOTED = 200
_LIMITS = msgspec.structs.replace(FROM_MODELS, any_text=True, control_characters=True)
"""Text that can't be stored is replaced; some models write line breaks in strings as they are."""


class Offer:
    """The tools a model was offered, by name, and the names of the others there are: `disabled` ones too, and
    own ones in quarantine."""

    def __init__(
        self,
        offered: Iterable[ToolSpec],
        every: Iterable[ToolSpec] = (),
        disabled: Iterable[str] = (),
        quarantined: Iterable[Known] = (),
    ) -> None:
        self.tools = {tool.name: tool for tool in offered}
        self.others = {tool.name for tool in every} - self.tools.keys()
        self.disabled = frozenset(disabled) - self.tools.keys()
        self.quarantined = {one.name: one.description for one in quarantined}


class _NotAnObject(ValueError):
    """The arguments can't be read as a JSON object; the message says why."""


def resolve(model_call: CallId, calls: Iterable[AskedCall], offer: Offer) -> tuple[ResolvedCall, ...]:
    """Each call with an id of ours, typed by the tool it names, or with the error that ends it at once."""
    return tuple(_resolve(tool_call_id(model_call, index), call, offer) for index, call in enumerate(calls))


def _resolve(call_id: CallId, call: AskedCall, offer: Offer) -> ResolvedCall:
    provider_id = storable_text(call.provider_id)
    name = storable_text(call.name)
    tool = offer.tools.get(name)
    if tool is None:
        return ResolvedCall(
            call_id,
            provider_id,
            _sendable(name),
            _readable(call.arguments),
            error=_no_such_tool(name, offer),
        )
    try:
        arguments = _object(call.arguments)
    except _NotAnObject as problem:
        raw = storable_text(call.arguments)
        return ResolvedCall(
            call_id,
            provider_id,
            tool.name,
            runs_on=tool.runs_on,
            effect=tool.effect,
            pauses=tool.pauses,
            raw_arguments=raw,
            error=ToolError(
                ErrorKind.MALFORMED_ARGUMENTS,
                f"the arguments are not a JSON object: {problem}. You sent: {_quoted(raw)}",
            ),
        )
    return ResolvedCall(
        call_id,
        provider_id,
        tool.name,
        arguments,
        runs_on=tool.runs_on,
        effect=tool.effect,
        pauses=tool.pauses,
    )


def _no_such_tool(name: str, offer: Offer) -> ToolError:
    if name in offer.quarantined:
        return ToolError(
            ErrorKind.NOT_AVAILABLE,
            f"the tool {name!r} is in quarantine, since the model's server refuses its schema: "
            f"“{offer.quarantined[name]}” Change its parameter_schema with update_tool",
        )
    if name in offer.others:
        return ToolError(ErrorKind.NOT_AVAILABLE, f"the tool {name!r} is not available in this session")
    if name in offer.disabled:
        return ToolError(ErrorKind.DISABLED_TOOL, f"the tool {name!r} is disabled: enable it first")
    if not name:
        return ToolError(ErrorKind.UNKNOWN_TOOL, "the call names no tool")
    near = difflib.get_close_matches(name[:100], offer.tools, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return ToolError(ErrorKind.UNKNOWN_TOOL, f"there is no tool named {_quoted(name)}{hint}")


def _readable(text: str) -> dict[str, Json]:
    """The arguments if they are an object, else none: the call is over anyway."""
    try:
        return _object(text)
    except _NotAnObject:
        return {}


def _object(text: str) -> dict[str, Json]:
    if not text.strip():
        return {}  # how many models say that a tool needs none
    try:
        value = read_json(text, _LIMITS)
    except Rejected as failure:
        raise _NotAnObject(failure.message) from failure
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _NotAnObject(f"it is {_KINDS.get(type(value), 'something else')}")
    arguments: dict[str, Json] = storable(value)
    return arguments


_KINDS: dict[type, str] = {
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
}


def _sendable(name: str) -> str:
    """A name that providers accept back in the history: it is sent with every later call."""
    if _NAME.fullmatch(name):
        return name
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "unnamed"


def _quoted(text: str) -> str:
    shown = text if len(text) <= _QUOTED else text[:_QUOTED] + "…"
    return json.dumps(shown, ensure_ascii=False)
