"""What each tool call that a model asked for means, given the tools it was offered. Pure.

A call counts by the name that the tool was offered under, whether its definition was sent or not. A call of
`call_tool` is one of the tool that it names, with that one's effect. `find_tools` is answered here, where
what is offered is known.
"""

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from agent_contracts.argument_coercion import changed, coerced
from agent_contracts.errors import ErrorKind, Rejected, ToolError
from agent_contracts.ids import CallId, tool_call_id
from agent_contracts.json_reader import FROM_MODELS, read_json
from agent_contracts.json_value import Json
from agent_contracts.session_events.results import ResolvedCall
from agent_contracts.tool_spec import CALL_TOOL, FIND_TOOLS, RESERVED, Effect, ToolSpec
from agent_platform.log.storable_text import storable, storable_text
from model_caller.answers.answer import AskedCall
from model_caller.answers.gate import NO_POLICY, PolicyGate
from model_caller.offering.find_tools import Find, find
from session_domain.domain.shown.on_demand import CALL, FIND
from session_domain.domain.shown.profile import PackSetting, ProfileEntry

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_QUOTED = 200
MOST_FOUND_BYTES = 256 * 1024
"""Of what `find_tools` gives in one answer: all of it stands in the answer's one event."""
_LIMITS = msgspec.structs.replace(FROM_MODELS, any_text=True, control_characters=True)
"""Text that can't be stored is replaced; some models write line breaks in strings as they are."""

FORMS = {FIND_TOOLS: FIND.parameters, CALL_TOOL: CALL.parameters}


class ToolOffer:
    """The tools a model was offered, by name, and the names of the others there are: `disabled` ones too, and
    own ones in quarantine."""

    def __init__(
        self,
        offered: Iterable[ToolSpec],
        every: Iterable[ToolSpec] = (),
        disabled: Iterable[str] = (),
        quarantined: Iterable[ProfileEntry] = (),
        families: Mapping[str, str] | None = None,
    ) -> None:
        self.families = families or {}
        self.tools = {tool.name: tool for tool in offered}
        self.by_id = {tool.tool: tool for tool in self.tools.values()}
        self.others = {tool.name for tool in every} - self.tools.keys()
        self.disabled = frozenset(disabled) - self.tools.keys()
        self.quarantined = {one.name: one.description for one in quarantined}
        self._stand_ins: tuple[ToolSpec, ...] = ()
        self._delegates: Mapping[str, str] = {}
        self._lacking: Mapping[str, tuple[str, ...]] = {}
        self.switched_off: Mapping[str, PackSetting] = {}

    def lacks(
        self, lacking: Mapping[str, tuple[str, ...]], switched_off: Mapping[str, PackSetting] | None = None
    ) -> None:
        """These tools aren't offered, since they need what the agent hasn't (`secret:NAME`, `delegate` …), or
        a pack's setting switches them off."""
        self._lacking, self.switched_off = lacking, switched_off or {}

    def missing_for(self, name: str) -> tuple[str, ...]:
        """What the tool of this name needs and the agent hasn't; none for any other tool."""
        return self._lacking.get(name, ()) if name not in self.tools else ()

    def takes_over(self, stand_ins: tuple[ToolSpec, ...], delegates: Mapping[str, str]) -> None:
        """These tools take over calls of the others, where these name such delegates (by type)."""
        self._stand_ins, self._delegates = stand_ins, delegates
        self.by_id |= {tool.tool: tool for tool in stand_ins}

    def does(self, tool: ToolSpec, arguments: Mapping[str, Json]) -> ToolSpec:
        """Which tool does a call of this one: itself, or one that stands in for it."""
        for other in self._stand_ins:
            stands_in = other.stands_in
            if stands_in is None or (other.pack, stands_in.tool) != (
                tool.pack,
                tool.as_declared or tool.name,
            ):
                continue
            value = arguments.get(stands_in.argument)
            if stands_in.delegate is None:
                if value is True:
                    return other
            elif isinstance(value, str) and self._delegates.get(value) == stands_in.delegate:
                return other
        return tool


class _NotAnObject(ValueError):
    """The arguments can't be read as a JSON object; the message says why."""


def resolve(
    model_call: CallId, calls: Iterable[AskedCall], offer: ToolOffer, gate: PolicyGate = NO_POLICY
) -> tuple[ResolvedCall, ...]:
    """Each call with an id of ours, typed by the tool it names, or with what ends it at once; what would
    run is judged."""
    found = (
        gate.judged(_resolve(tool_call_id(model_call, index), call, offer), offer.by_id)
        for index, call in enumerate(calls)
    )
    return tuple(_bounded(found))


def _bounded(calls: Iterable[ResolvedCall]) -> Iterator[ResolvedCall]:
    left = MOST_FOUND_BYTES
    for call in calls:
        if call.result is not None:
            left -= len(msgspec.json.encode(call.result))
        if call.result is not None and left < 0:
            error = ToolError(ErrorKind.TOO_LARGE, "you asked for too many definitions at once: ask again")
            yield msgspec.structs.replace(call, result=None, error=error)
        else:
            yield call


def _resolve(call_id: CallId, call: AskedCall, offer: ToolOffer) -> ResolvedCall:
    name = storable_text(call.name)
    asked = ResolvedCall(call_id, storable_text(call.provider_id), _sendable(name))
    tool = offer.tools.get(name)
    if tool is None and name not in RESERVED:
        return msgspec.structs.replace(
            asked, arguments=_readable(call.arguments), error=_no_such_tool(name, offer)
        )
    if tool is not None:
        asked = _typed(asked, tool)
    try:
        arguments = _object(call.arguments)
    except _NotAnObject as problem:
        raw = storable_text(call.arguments)
        said = f"the arguments are not a JSON object: {problem}. You sent: {_quoted(raw)}"
        return msgspec.structs.replace(
            asked, raw_arguments=raw, error=ToolError(ErrorKind.MALFORMED_ARGUMENTS, said)
        )
    if call.arguments.lstrip().startswith('"') or _bare(call.arguments) != call.arguments:
        asked = msgspec.structs.replace(asked, raw_arguments=storable_text(call.arguments))
    asked = _coerced(asked, tool.parameters if tool is not None else FORMS[name], arguments)
    if tool is not None:
        return _taken_over(asked, tool, offer)
    try:
        return _found(asked, offer) if name == FIND_TOOLS else _named(asked, offer)
    except Rejected as refused:
        error = ToolError(ErrorKind.INVALID_ARGUMENTS, refused.message, refused.path)
        return msgspec.structs.replace(asked, error=error)


def _typed(call: ResolvedCall, tool: ToolSpec) -> ResolvedCall:
    return msgspec.structs.replace(
        call,
        tool=tool.tool,
        name=None if tool.name == tool.tool else tool.name,
        alias_of=tool.alias_of.name if tool.alias_of else None,
        runs_on=tool.runs_on,
        effect=tool.effect,
        pauses=tool.pauses,
    )


def _coerced(call: ResolvedCall, schema: dict[str, Json], sent: dict[str, Json]) -> ResolvedCall:
    """The call with its arguments in the types that the schema asks for; policies judge them in this form."""
    arguments = coerced(schema, sent)
    as_sent = call.as_sent or ({} if arguments is sent else changed(sent, arguments))
    return msgspec.structs.replace(call, arguments=arguments, as_sent=as_sent)


def _taken_over(call: ResolvedCall, tool: ToolSpec, offer: ToolOffer) -> ResolvedCall:
    """The call as one of the tool that does it, shown by the name that it was called by."""
    does = offer.does(tool, call.arguments)
    return call if does is tool else msgspec.structs.replace(_typed(call, does), name=tool.name)


def _found(call: ResolvedCall, offer: ToolOffer) -> ResolvedCall:
    """`find_tools` with its answer. `Rejected` for arguments that don't fit."""
    try:
        asked = msgspec.convert(call.arguments, Find)
    except msgspec.ValidationError as error:
        raise Rejected(f"find_tools takes `query` and `family`, both text: {error}") from error
    found = find(asked, list(offer.tools.values()), offer.families)
    return msgspec.structs.replace(call, effect=Effect.PURE, result=found)


def _named(call: ResolvedCall, offer: ToolOffer) -> ResolvedCall:
    """The call of the tool that `call_tool` names. One that there isn't leaves the call as it is.

    `Rejected` for arguments that don't fit; those of the tool are checked where it runs, as ever.
    """
    name, arguments = call.arguments.get("name"), call.arguments.get("arguments", {})
    if not isinstance(name, str) or not name:
        raise Rejected("call_tool needs `name`: the name of a tool, as text", path="/name")
    if name in RESERVED:
        raise Rejected(f"call_tool can't call {name}: call it by its own name", path="/name")
    if not isinstance(arguments, dict):
        kind = _KINDS.get(type(arguments), "null")
        raise Rejected(
            f"`arguments` must be an object with the arguments of {name[:100]}; it is {kind}",
            path="/arguments",
        )
    beside = sorted(call.arguments.keys() - {"name", "arguments"})
    if beside:
        raise Rejected(f"call_tool takes `name` and `arguments`: put {beside[0][:100]!r} into `arguments`")
    tool = offer.tools.get(name)
    if tool is not None:
        called = msgspec.structs.replace(_typed(call, tool), through=CALL_TOOL)
        return _taken_over(_coerced(called, tool.parameters, arguments), tool, offer)
    return msgspec.structs.replace(call, error=_no_such_tool(name, offer))


def _no_such_tool(name: str, offer: ToolOffer) -> ToolError:
    if name in offer.quarantined:
        return ToolError(
            ErrorKind.NOT_AVAILABLE,
            f"the tool {name!r} is in quarantine, since the model's server refuses its schema: "
            f"“{offer.quarantined[name]}” Change its parameter_schema with update_tool",
        )
    if name in offer.switched_off:
        return ToolError(ErrorKind.NOT_AVAILABLE, _who_switched_off(name, offer.switched_off[name]))
    if missing := offer.missing_for(name):
        return ToolError(ErrorKind.NOT_AVAILABLE, _what_is_missing(name, missing))
    if name in offer.others:
        return ToolError(ErrorKind.NOT_AVAILABLE, f"the tool {name!r} is not available in this session")
    if name in offer.disabled:
        return ToolError(ErrorKind.DISABLED_TOOL, f"the tool {name!r} is disabled: enable it first")
    if not name:
        return ToolError(ErrorKind.UNKNOWN_TOOL, "the call names no tool")
    near = difflib.get_close_matches(name[:100], offer.tools, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return ToolError(ErrorKind.UNKNOWN_TOOL, f"there is no tool named {_quoted(name)}{hint}")


def _who_switched_off(name: str, by: PackSetting) -> str:
    return (
        f"the tool {name!r} is not available: the setting {by.setting} of the pack {by.pack} switches it off "
        "for this agent. Nothing was done. The user can change the setting in the Studio under Packs, or by "
        f"`foldline packs set {by.pack} {by.setting}=…`"
    )


def _what_is_missing(name: str, missing: Sequence[str]) -> str:
    secrets = [one.removeprefix("secret:") for one in missing if one.startswith("secret:")]
    others = [one for one in missing if not one.startswith("secret:")]
    if not secrets:
        kinds = " and ".join(one.removeprefix("delegate:") for one in others)
        return (
            f"the tool {name!r} is not available: it needs a delegate ({kinds}), and this agent has none. "
            "Nothing was done. The user can add one in the Studio under Delegates"
        )
    named = " and ".join(secrets)
    return (
        f"the tool {name!r} is not available: it needs the secret {named}, which this agent doesn't have. "
        f"Nothing was done. The user can set it in the Studio under Secrets, or by `foldline secrets set "
        f"{secrets[0]} --host HOST`"
    )


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
        value = read_json(_bare(text), _LIMITS)
        if isinstance(value, str) and value.lstrip().startswith("{"):  # an object that was encoded twice
            value = read_json(value, _LIMITS)
    except Rejected as failure:
        raise _NotAnObject(failure.message) from failure
    if not isinstance(value, dict):
        raise _NotAnObject(f"it is {_KINDS.get(type(value), 'something else')}")
    arguments: dict[str, Json] = storable(value)
    return arguments


def _bare(text: str) -> str:
    """Arguments without what small models write around them: a fence of Markdown, marks of a template."""
    fenced = _FENCED.fullmatch(text)
    return _MARKS.sub("", fenced[1] if fenced else text)


_FENCED = re.compile(r"\s*```(?:json)?\s*\n(\{.*\})\s*\n?```\s*", re.DOTALL)
_MARKS = re.compile(r"(?<=\})\s*(<\|[a-z_]{1,40}\|>|</?(s|tool_call|function_call|end_of_turn)>)+\s*\Z")

_KINDS: dict[type, str] = {
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def _sendable(name: str) -> str:
    """A name that providers accept back in the history: it is sent with every later call."""
    if _NAME.fullmatch(name):
        return name
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "unnamed"


def _quoted(text: str) -> str:
    shown = text if len(text) <= _QUOTED else text[:_QUOTED] + "…"
    return json.dumps(shown, ensure_ascii=False)
