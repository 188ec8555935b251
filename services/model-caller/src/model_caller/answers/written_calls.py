"""Calls of tools that a model wrote as its answer's text, in the forms of common chat templates. Pure.

Small models write a call where they should make one, and some servers don't parse what their model writes.
Only an answer that is a call and nothing else counts: a call inside an explanation is part of that.
"""

import ast
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from agent_contracts.argument_coercion import coerced, fits
from agent_contracts.errors import Rejected
from agent_contracts.json_reader import FROM_MODELS, read_json
from agent_contracts.json_value import Json
from model_caller.answers.answer import AskedCall

MOST_CHARACTERS = 64 * 1024
_MOST_CALLS = 10
_LIMITS = msgspec.structs.replace(FROM_MODELS, size=MOST_CHARACTERS, any_text=True, control_characters=True)
_NAMES = ("name", "tool", "tool_name", "function", "function_name", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "action_input", "tool_input")
_BESIDE = frozenset({"type", "id", "index", "call_id"})

_ENDS = re.compile(r"(\s|</s>|<\|(im_end|eot_id|eom_id|end|endoftext|end_of_text)\|>)+\Z")
_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)\s*```", re.DOTALL)
_TAG = r"\|?(?:tool_calls?|function_calls?|functioncall|tool_use|tool_code|invoke|call|tool)\|?"
_TAGGED = re.compile(rf"\s*<{_TAG}>\s*(.*?)\s*(?:</{_TAG}>|\Z)", re.DOTALL | re.IGNORECASE)
_FUNCTION = re.compile(
    r"\s*<function(?:=|\s+name=)\"?([\w.-]{1,64})\"?>\s*(.*?)\s*(?:</function>|\Z)", re.DOTALL
)
_PARAMETER = re.compile(
    r"\s*<parameter(?:=|\s+name=)\"?([\w.$-]{1,64})\"?>\n?(.*?)\n?</parameter>", re.DOTALL
)
_PYTHON = re.compile(r"\[?\s*[A-Za-z_]\w{0,63}\(")
_MISTRAL = re.compile(r"\s*([\w.-]{1,64})\s*(?:\[CALL_ID\]\w+\s*)?(?:\[ARGS\]\s*)?(\{.*)", re.DOTALL)


class _WrittenCall(NamedTuple):
    name: str
    arguments: dict[str, Json]


class _NoCall(Exception):
    """The text, or a part of it, is something else."""


def written_calls(text: str, tools: Mapping[str, Mapping[str, Any]]) -> tuple[AskedCall, ...]:
    """The calls that the text consists of; none if it is anything else. `tools`: the parameters of what was
    offered, by name. Each call names one of these, with arguments that fit."""
    text = _ENDS.sub("", text.strip())
    if not text or len(text) > MOST_CHARACTERS:
        return ()
    try:
        found = _calls_in(text)
    except (_NoCall, RecursionError):
        return ()
    if len(found) > _MOST_CALLS or not all(_is_offered(call, tools) for call in found):
        return ()
    return tuple(AskedCall("", name, json.dumps(arguments)) for name, arguments in found)


def _is_offered(call: _WrittenCall, tools: Mapping[str, Mapping[str, Any]]) -> bool:
    schema = tools.get(call.name)
    if schema is None:
        return False
    known = schema.get("properties")
    names = known if isinstance(known, dict) else {}
    if names and not call.arguments.keys() <= names.keys():
        return False
    return fits(schema, coerced(schema, call.arguments))


def _calls_in(text: str) -> Sequence[_WrittenCall]:
    """Every call of a text. Raises `_NoCall` where there is anything else."""
    text = text.strip()
    fenced = _FENCE.fullmatch(text)
    if fenced:
        return _calls_in(fenced[1])
    if text.startswith("<|python_tag|>"):
        return _calls_in(text.removeprefix("<|python_tag|>"))
    if text.startswith("[TOOL_CALLS]"):
        return _of_mistral(text.removeprefix("[TOOL_CALLS]"))
    if text.startswith("<function") and not text.lower().startswith("<function_call"):
        return _each(_FUNCTION, text, lambda match: [_WrittenCall(match[1], _of_function(match[2]))])
    if text.startswith("<"):
        return _each(_TAGGED, text, lambda match: _calls_in(match[1]))
    if text.startswith("{"):
        return _of_json(_json(text))
    if text.startswith("["):
        try:
            return _of_json(_json(text))
        except _NoCall:
            return _of_python(text)
    return _of_python(text)


def _each(
    form: re.Pattern[str], text: str, read: Callable[[re.Match[str]], Sequence[_WrittenCall]]
) -> Sequence[_WrittenCall]:
    """What of this form follows each other, up to the end of the text."""
    found: list[_WrittenCall] = []
    at = 0
    while text[at:].strip():
        match = form.match(text, at)
        if match is None or match.end() == at:
            raise _NoCall
        found += read(match)
        at = match.end()
    return found


def _of_mistral(text: str) -> Sequence[_WrittenCall]:
    if text.lstrip().startswith(("[", "{")):
        return _of_json(_json(text))
    found = []
    for one in text.split("[TOOL_CALLS]"):
        named = _MISTRAL.fullmatch(one)
        if named is None:
            raise _NoCall
        found.append(_WrittenCall(named[1], _object(_json(named[2]))))
    return found


def _of_function(text: str) -> dict[str, Json]:
    """Arguments as an object, or each in a tag of its own, where they are text."""
    if not text:
        return {}
    if text.startswith("{"):
        return _object(_json(text))
    found: dict[str, Json] = {}
    at = 0
    while text[at:].strip():
        match = _PARAMETER.match(text, at)
        if match is None:
            raise _NoCall
        found[match[1]] = match[2]
        at = match.end()
    return found


def _of_json(value: Json) -> Sequence[_WrittenCall]:
    if isinstance(value, list) and value:
        return [call for one in value for call in _of_json(one)]
    if not isinstance(value, dict):
        raise _NoCall
    several = value.get("tool_calls")
    if isinstance(several, list) and several and len(value) == 1:
        return _of_json(several)
    inner = value.get("function")
    if isinstance(inner, dict) and value.keys() <= {"function", *_BESIDE}:
        return _of_json(inner)
    name = next((key for key in _NAMES if isinstance(value.get(key), str)), "")
    given = next((key for key in _ARGUMENTS if key in value), "")
    if not name or not given or value.keys() - {name, given} - _BESIDE:
        raise _NoCall
    return [_WrittenCall(str(value[name]), _object(value[given]))]


def _of_python(text: str) -> Sequence[_WrittenCall]:
    """Calls as Python writes them, with values that stand there as they are."""
    if not _PYTHON.match(text) or not text.endswith((")", "]")):
        raise _NoCall
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a model's escapes
            tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError) as error:
        raise _NoCall from error
    calls = tree.elts if isinstance(tree, ast.List) else [tree]
    if not calls:
        raise _NoCall
    return [_of_expression(one) for one in calls]


def _of_expression(call: ast.expr) -> _WrittenCall:
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise _NoCall
    found: dict[str, Json] = {}
    for keyword in call.keywords:
        try:
            value = ast.literal_eval(keyword.value)
            json.dumps(value, allow_nan=False)
        except (ValueError, TypeError) as error:
            raise _NoCall from error
        if keyword.arg is None:
            raise _NoCall
        found[keyword.arg] = value
    return _WrittenCall(call.func.id, found)


def _object(value: Json) -> dict[str, Json]:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = _json(value)
    if not isinstance(value, dict):
        raise _NoCall
    return value


def _json(text: str) -> Json:
    try:
        return read_json(text, _LIMITS)
    except Rejected as error:
        raise _NoCall from error
