"""Which tools of a pack its settings switch off, and what the pack tells models without them. Pure."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from agent_contracts.json_value import Json
from agent_contracts.packs import PackSettings, PackSwitch
from agent_contracts.tool_spec import Catalogue, ToolSpec

_SENTENCE = re.compile(r".+?(?:[.!?](?=\s+[A-Z`])|\Z)\s*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z0-9_]+\*?")


def switched_off(pack: Catalogue, values: Mapping[str, Json]) -> Mapping[str, str]:
    """By the ids of the tools that are switched off: the setting that does it. What isn't in `values` is as
    the pack has it."""
    settings = pack.about.settings if pack.about is not None else None
    found: dict[str, str] = {}
    for switch in settings.switches if settings is not None else ():
        patterns = [*_patterns(switch, _value(settings, switch.setting, values))]
        for tool in pack.tools:
            if any(_names(pattern, tool) for pattern in patterns):
                found.setdefault(tool.tool, switch.setting)
    return found


def unknown_tools(pack: Catalogue, values: Mapping[str, Json]) -> Sequence[tuple[str, str]]:
    """What `values` switch off that is none of the pack's tools: each setting, and the name or pattern."""
    settings = pack.about.settings if pack.about is not None else None
    return [
        (switch.setting, pattern)
        for switch in (settings.switches if settings is not None else ())
        if not switch.tools
        for pattern in _patterns(switch, values.get(switch.setting))
        if not any(_names(pattern, tool) for tool in pack.tools)
    ]


def prompt_without(pack: Catalogue, off: Collection[str]) -> str:
    """What the pack tells models, without the sentences that name a tool whose id is in `off`, or by a
    pattern only such tools."""
    prompt = pack.about.prompt if pack.about is not None else ""
    if not off:
        return prompt
    paragraphs = (
        "".join(one for one in _SENTENCE.findall(paragraph) if not _speaks_of(one, pack.tools, off)).strip()
        for paragraph in prompt.split("\n\n")
    )
    return "\n\n".join(one for one in paragraphs if one)


def _speaks_of(sentence: str, tools: Sequence[ToolSpec], off: Collection[str]) -> bool:
    for word in _WORD.findall(sentence):
        named = [tool.tool for tool in tools if _names(word, tool)]
        if named and all(tool in off for tool in named):
            return True
    return False


def _value(settings: PackSettings | None, name: str, values: Mapping[str, Json]) -> Json:
    if name in values or settings is None:
        return values.get(name)
    properties = settings.schema.get("properties")
    schema = properties.get(name) if isinstance(properties, dict) else None
    return schema.get("default") if isinstance(schema, dict) else None


def _patterns(switch: PackSwitch, value: Json) -> Iterable[str]:
    if isinstance(value, bool):
        chosen = ["true" if value else "false"]
    else:
        listed = value if isinstance(value, list) else [value]
        chosen = [one for one in listed if isinstance(one, str)]
    for one in chosen:
        yield from switch.tools.get(one, ()) if switch.tools else (one,)


def _names(pattern: str, tool: ToolSpec) -> bool:
    return fnmatchcase(tool.name, pattern) or fnmatchcase(tool.tool, pattern)
