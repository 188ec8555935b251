"""Jinja templates in scripts, sandboxed. The names they may use:

| name | what |
|---|---|
| `last_user`, `first_user` | text of the last and of the first user message |
| `last_tool_result` | text of the last tool result since the last user message, `""` if none |
| `results` | every tool result since the last user message, in order; JSON is parsed |
| `result.<tool>` | the last of them of that tool |
| `calls` | tool calls since the last user message: `{name, id, arguments, result}` |
| `failures` | calls of the last assistant message that ended in an error: `{name, error}` |
| `match` | groups of `user_matches`: `match.0` the whole, `match.1` …, `match.<name>`; `""` if unmatched |
| `call`, `step` | number of this model call in the conversation; since the last user message |
| `users` | how many user messages there are |
| `tools`, `offers(name)` | names of the tools offered; whether one is |
| `missing` | names of tools that are needed and not offered |
| `system`, `model` | the system prompt; the model name in the request |
| `after(amount, unit)` | that long from now, UTC in ISO 8601: the one thing here that depends on the clock |
| `item` | in a tool call with `each`, the element |

Filters beside Jinja's own: `slug` (letters, digits and dashes), `json`; test: `containing`. A dictionary's
own key wins over a method of the same name, so `result.list_state_keys.keys` is the key.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from jinja2 import StrictUndefined, TemplateError, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from agent_contracts.errors import Rejected

NAMES = frozenset(
    {
        "last_user",
        "first_user",
        "last_tool_result",
        "results",
        "result",
        "calls",
        "failures",
        "match",
        "call",
        "step",
        "users",
        "tools",
        "missing",
        "offers",
        "system",
        "model",
        "after",
        "item",
    }
)

_ONE_EXPRESSION = re.compile(r"\s*\{\{((?:(?!\}\}).)*)\}\}\s*", re.DOTALL)


class TemplateFault(Rejected):
    """A template that doesn't parse, uses an unknown name, or failed on this request."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="bad_template")


class _Environment(ImmutableSandboxedEnvironment):
    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, Mapping) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


def _slug(text: object) -> str:
    return re.sub(r"[\W_]+", "-", str(text).lower()).strip("-")[:60]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _containing(text: object, part: str) -> bool:
    return part in str(text)


_ENVIRONMENT = _Environment(
    undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
)
_ENVIRONMENT.filters["slug"] = _slug
_ENVIRONMENT.filters["json"] = _json
_ENVIRONMENT.tests["containing"] = _containing


def check(text: str) -> None:
    """Raise `TemplateFault` if the template doesn't parse or uses a name that no request has."""
    try:
        tree = _ENVIRONMENT.parse(text)
    except TemplateError as error:
        raise TemplateFault(f"Bad template: {error}") from error
    _check_names(tree)


def check_expression(expression: str) -> None:
    """The same for a bare expression."""
    check("{{" + expression + "}}")


def _check_names(tree: nodes.Template) -> None:
    unknown = sorted(meta.find_undeclared_variables(tree) - NAMES - set(_ENVIRONMENT.globals))
    if unknown:
        raise TemplateFault(f"Bad template: no such name: {', '.join(unknown)}")


def text_of(template: str, names: Mapping[str, Any]) -> str:
    """Render a template to text. Raises `TemplateFault`."""
    if "{" not in template:
        return template
    try:
        return _ENVIRONMENT.from_string(template).render(names)
    except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
        raise TemplateFault(f"{template!r} cannot be rendered for this request: {error}") from error


def expression_of(expression: str, names: Mapping[str, Any]) -> Any:
    """Evaluate a bare expression to a JSON value. Raises `TemplateFault`."""
    try:
        value = _ENVIRONMENT.compile_expression(expression, undefined_to_none=False)(**names)
        if isinstance(value, StrictUndefined):
            raise TemplateFault(f"{expression!r} has no value in this request")
        return json.loads(json.dumps(value))
    except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
        raise TemplateFault(f"{expression!r} cannot be evaluated for this request: {error}") from error


def value_of(value: Any, names: Mapping[str, Any]) -> Any:
    """Render every string in a JSON value. A string that is one `{{ expression }}` becomes its value."""
    if isinstance(value, str):
        alone = _ONE_EXPRESSION.fullmatch(value)
        return expression_of(alone[1], names) if alone else text_of(value, names)
    if isinstance(value, dict):
        return {key: value_of(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [value_of(inner, names) for inner in value]
    return value
