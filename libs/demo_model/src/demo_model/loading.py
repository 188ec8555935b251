"""Read a script from a YAML or JSON file, refusing a bad one with the place and the reason."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import yaml

from agent_contracts.errors import Rejected
from demo_model.script import Reply, Script, ScriptRule
from demo_model.templates import TemplateFault, check, check_expression

DEMO_SCRIPT = Path(__file__).with_name("demo.yaml")


class BadScript(Rejected):
    """A script that can't be played. The message names the file, the place in it, and the reason."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="bad_script")


def load(path: Path) -> Script:
    """Read the script in a `.json`, `.yaml` or `.yml` file. Raises `BadScript`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadScript(f"{path}: cannot be read: {error}") from error
    try:
        return parse(text)
    except BadScript as error:
        raise BadScript(f"{path}: {error}") from error


def parse(text: str) -> Script:
    """Read a script from YAML (of which JSON is a part). Raises `BadScript`."""
    try:
        raw = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BadScript(f"not YAML: {error}") from error
    return from_data(raw)


def from_data(raw: Any) -> Script:
    """Read a script from plain data, as parsed from JSON. Raises `BadScript`."""
    try:
        script = msgspec.convert(raw, Script)
    except msgspec.ValidationError as error:
        raise BadScript(str(error)) from error
    for problem in problems(script):
        raise BadScript(problem)
    return script


def problems(script: Script) -> Iterator[str]:
    """What is wrong with a well-formed script, one message per place, in the order of the script."""
    yield from _template(script.otherwise, "$.otherwise")
    for index, rule in enumerate(script.rules):
        yield from _rule(rule, f"$.rules[{index}]")


def _rule(rule: ScriptRule, place: str) -> Iterator[str]:
    if (rule.reply is None) == (rule.turns is None):
        yield f"Expected exactly one of `reply` and `turns` - at `{place}`"
    if rule.turns == ():
        yield f"Expected at least one turn - at `{place}.turns`"
    if rule.when != "always" and rule.when.user_matches is not None:
        try:
            re.compile(rule.when.user_matches)
        except re.error as error:
            yield f"Not a regular expression: {error} - at `{place}.when.user_matches`"
    yield from _template(rule.otherwise, f"{place}.otherwise")
    if rule.reply is not None:
        yield from _reply(rule.reply, f"{place}.reply")
    for index, reply in enumerate(rule.turns or ()):
        yield from _reply(reply, f"{place}.turns[{index}]")


def _reply(reply: Reply, place: str) -> Iterator[str]:
    yield from _template(reply.text, f"{place}.text")
    yield from _template(reply.otherwise, f"{place}.otherwise")
    for index, tool in enumerate(reply.needs):
        yield from _template(tool, f"{place}.needs[{index}]")
    for index, call in enumerate(reply.tool_calls):
        here = f"{place}.tool_calls[{index}]"
        yield from _template(call.name, f"{here}.name")
        if call.arguments and call.raw_arguments is not None:
            yield f"Expected only one of `arguments` and `raw_arguments` - at `{here}`"
        if call.each is not None:
            try:
                check_expression(call.each)
            except TemplateFault as error:
                yield f"{error} - at `{here}.each`"
        yield from _values(call.arguments, f"{here}.arguments")


def _values(value: Any, place: str) -> Iterator[str]:
    if isinstance(value, str):
        yield from _template(value, place)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _values(inner, f"{place}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _values(inner, f"{place}[{index}]")


def _template(text: str | None, place: str) -> Iterator[str]:
    if text is None:
        return
    try:
        check(text)
    except TemplateFault as error:
        yield f"{error} - at `{place}`"
