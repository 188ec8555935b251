"""What an agent put before a person, as text, and their answer to it in words."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_contracts.policies import APPROVAL, LONGEST_REASON
from agent_contracts.questions.takeover import HAND_OVER
from agent_contracts.sessions.open_questions import ASK_USER
from agent_contracts.sessions.rendering import (
    ANSWER_SCHEMA,
    DECLINE,
    DISMISS,
    MCP_INPUT,
    MCP_TASK,
    RENDER_AND_WAIT,
    RENDER_BLOCKS,
    SUBMIT,
    USER_INPUT,
)

_ROWS = 20
_POINTS = 20
_LONGEST = 4_000
_YES = {"yes": True, "true": True, "y": True, "no": False, "false": False, "n": False}
_ALLOWED = {"yes": "once", "y": "once", "once": "once", "no": "refuse", "n": "refuse", "refuse": "refuse"}


def shown_text(show: Mapping[str, Any]) -> str:
    """The question, the blocks, or which component waits."""
    match show.get("kind"):
        case kind if kind == ASK_USER:
            options = [f"  {number}. {one}" for number, one in enumerate(show.get("options") or [], 1)]
            return "\n".join([str(show.get("question", "")), *options])
        case kind if kind == RENDER_BLOCKS:
            blocks = [_block(one) for one in show.get("blocks", [])]
            return "\n\n".join([*([f"# {show['title']}"] if show.get("title") else []), *blocks])
        case kind if kind == MCP_TASK:
            return str(show.get("title", ""))
        case kind if kind in (USER_INPUT, MCP_INPUT):
            steps = [_step(one) for one in show.get("steps", [])]
            return "\n\n".join(
                [f"# {show['title']}", *([show["description"]] if show["description"] else []), *steps]
            )
        case kind if kind == RENDER_AND_WAIT:
            named = show.get("title") or show.get("component") or "A component"
            return f"{named} waits in the web UI: components are drawn there."
        case kind if kind == APPROVAL:
            return f"{show.get('tool')} waits for your approval. {show.get('rule')}."
        case kind if kind == HAND_OVER:
            return f"The agent asks you to take over its browser, in the web UI: {show.get('reason')}"
        case _:
            return "The agent waits for an answer."


def options_of(show: Mapping[str, Any]) -> list[str]:
    """What a question offers to choose from."""
    return [str(option) for option in show.get("options") or []]


def fields_of(show: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fields of the form among the blocks, or of all steps; empty without a form."""
    if show.get("kind") in (USER_INPUT, MCP_INPUT):
        return [field for step in show.get("steps", []) for field in step["fields"]]
    forms: list[dict[str, Any]] = [one for one in show.get("blocks", []) if one.get("type") == "form"]
    return list(forms[0]["fields"]) if forms and ANSWER_SCHEMA in show else []


def submitted(show: Mapping[str, Any], words: Mapping[str, str]) -> dict[str, Json]:
    """The answer to a form, of what was written for each field; defaults stand for what was not.

    `Rejected` for a field that the form doesn't have, and for words that can't be what a field takes.
    """
    fields = {field["name"]: field for field in fields_of(show)}
    for name in words:
        if name not in fields:
            raise Rejected(f"The form has no field {name!r}; it has {', '.join(fields)}")
    data: dict[str, Json] = {}
    for name, field in fields.items():
        if words.get(name):
            data[name] = _value(field, words[name])
        elif field.get("default") is not None:
            data[name] = field["default"]
    return {"action": SUBMIT, "data": data}


def is_agreed_to(show: Mapping[str, Any]) -> bool:
    """Whether it asks for a yes alone: a server wants a person to open an address."""
    return show.get("kind") == MCP_INPUT and not fields_of(show)


def can_be_declined(show: Mapping[str, Any]) -> bool:
    """Whether a no is something else than closing it."""
    return show.get("kind") == MCP_INPUT


def can_be_dismissed(show: Mapping[str, Any]) -> bool:
    """Whether it can be closed without an answer."""
    return show.get("kind") not in (ASK_USER, APPROVAL, HAND_OVER)


def declined() -> dict[str, Json]:
    """The answer that refuses what was asked for."""
    return {"action": DECLINE}


def dismissed() -> dict[str, Json]:
    """The answer that leaves all as it is."""
    return {"action": DISMISS}


def yes_or_no(words: str) -> bool | None:
    """Whether a person's word is a yes or a no; None for any other."""
    return _YES.get(words.strip().rstrip(".!").lower())


def decisions_of(show: Mapping[str, Any]) -> list[str]:
    """What a yes to this call can be for: once, and longer where that can be said."""
    commands = ["commands"] if "commands" in show else []
    return ["once", *(["session", *commands, "always"] if "covers" in show else commands)]


def decided(show: Mapping[str, Any], words: str, reason: str = "") -> dict[str, Json]:
    """The answer to a call that needs a yes: yes (once), no, or one of its decisions.

    `Rejected` for other words, and for a yes for longer than this call can have: it goes on waiting.
    """
    said = words.strip().rstrip(".!").lower()
    longer = decisions_of(show)[1:]
    decision = said if said in longer else _ALLOWED.get(said)
    if decision is None:
        more = f", or {', '.join(longer)} for longer" if longer else ""
        raise Rejected(f"Say yes or no to this call{more}, not {words[:100]!r}: it still waits")
    if not reason.strip():
        return {"decision": decision}
    if decision != "refuse":
        raise Rejected("A reason belongs to a no: the agent reads why you refused. The call still waits")
    if len(reason) > LONGEST_REASON:
        raise Rejected(f"A reason may have at most {LONGEST_REASON:,} characters. The call still waits")
    return {"decision": decision, "reason": reason}


def _value(field: Mapping[str, Any], words: str) -> Json:
    match field["type"]:
        case "cards" | "many" | "select" if field["options"] and isinstance(field["options"][0], dict):
            chosen = [_chosen(field, one.strip()) for one in words.split(",")]
            return chosen if field["type"] == "many" else chosen[0]
        case "lines":
            return [*words.split(",")]
        case "number" | "integer":
            try:
                number: Json = json.loads(words)
            except ValueError:
                number = None
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise Rejected(f"The field {field['name']!r} takes a number, not {words!r}")
            return number
        case "checkbox":
            ticked = yes_or_no(words)
            if ticked is None:
                raise Rejected(f"The field {field['name']!r} takes yes or no, not {words!r}")
            return ticked
        case _:
            return words


def _chosen(field: Mapping[str, Any], words: str) -> Json:
    for option in field["options"]:
        if words in (str(option["value"]), option["label"]):
            value: Json = option["value"]
            return value
    known = ", ".join(str(option["value"]) for option in field["options"])
    raise Rejected(f"The field {field['name']!r} takes one of {known}, not {words!r}")


def _step(step: Mapping[str, Any]) -> str:
    said = [step[part] for part in ("title", "description", "url") if step.get(part)]
    return "\n".join([*said, *(_field(field) for field in step["fields"])])


def _block(block: Mapping[str, Any]) -> str:
    match block.get("type"):
        case "markdown":
            return str(block["content"])
        case "table":
            return _table([(one["key"], one["label"]) for one in block["columns"]], block["data"])
        case "chart":
            return _chart(block)
        case "form":
            return "\n".join(_field(field) for field in block["fields"])
        case "code":
            return "\n".join(f"    {line}" for line in str(block["content"]).splitlines())
        case "image":
            words = block.get("alt") or "picture"
            url = str(block["url"])
            return f"[{words}]" if url.startswith("data:") else f"[{words}] {url}"
        case "alert":
            return f"! {str(block['variant']).capitalize()}: {block['content']}"
        case "frame":  # a block of another distribution, which a component draws in the web UI
            fields = [
                f"  {name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
                for name, value in block["props"].items()
            ]
            return _cut("\n".join([f"{block['name']}:", *fields]))
        case "json":
            return _cut(json.dumps(block["data"], ensure_ascii=False, indent=2))
        case _:
            return _cut(json.dumps(block, ensure_ascii=False, indent=2))


def _field(field: Mapping[str, Any]) -> str:
    """One line: what it is called, and what it takes."""
    options = [str(one["value"]) if isinstance(one, dict) else one for one in field.get("options") or ()]
    several = {"checkbox": "yes | no", "lines": "values with commas between them"}
    takes = " | ".join(options) or several.get(field["type"], field["type"])
    takes += ", any of them with commas between" if field["type"] == "many" else ""
    needed = ", required" if field.get("required") else ""
    default = field.get("default")
    given = "" if default is None else f" [{default}]"
    return f"  {field['name']}: {field['label']} ({takes}{needed}){given}"


def _chart(block: Mapping[str, Any]) -> str:
    data = block["data"]
    columns = [("label", ""), *((str(n), one["label"]) for n, one in enumerate(data["datasets"]))]
    rows = [
        {"label": label, **{str(n): one["data"][at] for n, one in enumerate(data["datasets"])}}
        for at, label in enumerate(data["labels"][: _POINTS + 1])
    ]
    return _table(columns, rows, len(data["labels"]))


def _table(
    columns: Sequence[tuple[str, str]], rows: Sequence[Mapping[str, Any]], count: int | None = None
) -> str:
    """Columns below each other; of many rows the first."""
    all_rows = len(rows) if count is None else count
    cells = [[label for _, label in columns]]
    cells += [[_cell(row.get(key)) for key, _ in columns] for row in rows[:_ROWS]]
    widths = [max(len(line[at]) for line in cells) for at in range(len(columns))]
    lines = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)) for line in cells
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    more = [f"… and {all_rows - _ROWS:,} more rows"] if all_rows > _ROWS else []
    return "\n".join(line.rstrip() for line in [*lines, *more])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:39]}…"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n…"
