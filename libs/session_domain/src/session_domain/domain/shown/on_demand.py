"""Which tools' definitions stand in each request, and how a model comes by the others. Pure.

The array is short and, byte for byte, the same while nothing behind it changed, so that a provider's prompt
cache holds. What a model finds it gets as a result, at the end of its messages.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from itertools import accumulate
from typing import Any, TypeVar

from cachetools import LRUCache

from agent_contracts.entities.definitions import OWN_FAMILY
from agent_contracts.entities.mcp_tools import FAMILY
from agent_contracts.tool_spec import CALL_TOOL, FIND_TOOLS, Effect, RunsOn, ToolSpec
from session_domain.domain.shown.profile import Profile
from session_domain.domain.state import SessionState

MOST_OWN_SENT = 20
"""An agent with more own tools than these gets none of them with each request, but those that are pinned."""
MOST_FOREIGN_SENT = 40
"""An agent with more foreign tools than these gets none of them with each request, but pinned ones."""
MOST_FOREIGN_NAMED = 4_000
"""How many characters of foreign tools' names the system prompt has, of all servers together."""
MOST_NAMED = 5_500
"""How many characters of one family's names the system prompt has: those of 300 tools, and more."""

MOST_SMALL = 8
"""Tools whose definitions a small model is sent, unless more are pinned: it mistakes one for another."""
SMALL_TOOLS = ("set_state", "get_state", "web_search", "web_read", "set_reminder", "run_sandbox_code")
"""Those of a new agent, the most wanted first; `find_tools` and `call_tool` come with them."""

_LONGEST_SAID = 160
"""Characters of an own tool's description that the system prompt has at most."""
_SHORTEST_SAID = 24
"""Where there is room for fewer, the tools are named only."""
_MOST_JOINED = 9
"""Names of one form that are all told; of more, `find_tools` gives them with their definitions."""
_A_GROUP = 3
"""So many names are said as one."""
_MOST_GROUPED = 40

FIND = ToolSpec(
    FIND_TOOLS,
    "Get the definitions of tools that you have by name only. `query`: what you want to do, or names.",
    {
        "type": "object",
        "properties": {"query": {"type": "string"}, "family": {"type": "string"}},
    },
    family="tools",
    effect=Effect.PURE,
    runs_on=RunsOn.TOOLS,
)
CALL = ToolSpec(
    CALL_TOOL,
    "Call a tool whose definition you found.",
    {
        "type": "object",
        "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
        "required": ["name", "arguments"],
    },
    family="tools",
    effect=Effect.PURE,
    runs_on=RunsOn.TOOLS,
)


_REMEMBERED = 256
"""For how many sets of tools it is known what follows: they change far less than models are asked."""

V = TypeVar("V")
_known: LRUCache[Hashable, tuple[tuple[ToolSpec, ...], Any]] = LRUCache(_REMEMBERED)


def sent(profile: Profile) -> tuple[ToolSpec, ...]:
    """The tools whose definitions a request has: all of them where it has room for all.

    Else those that are always sent, the two by which the others are found and called, and then what may
    change: pinned ones, and the agent's own as long as they are few. An own one that was written when there
    was material from outside is found: nobody reads it by the way.
    """
    return _once(_sent, profile)


def named(profile: Profile) -> str:
    """The built-in tools that aren't sent: a line for each family."""
    return _once(_named, profile)


def _once(follows: Callable[[Profile], V], profile: Profile) -> V:
    """What follows from these very tools, which are kept with it, and from how they are to be sent."""
    tools = profile.tools
    families = tuple(profile.families.items())
    how = profile.sends_all, profile.for_small_model
    key = (follows, tuple(map(id, tools)), profile.pinned, how, families, _marked(profile))
    found = _known.get(key)
    if found is None:
        found = _known[key] = (tools, follows(profile))
    value: V = found[1]
    return value


def _sent(profile: Profile) -> tuple[ToolSpec, ...]:
    tools = profile.tools
    few = sum(tool.family == OWN_FAMILY for tool in tools) <= MOST_OWN_SENT
    few_foreign = sum(is_foreign(tool) for tool in tools) <= MOST_FOREIGN_SENT
    unmarked = {tool.name for tool in tools if tool.family == OWN_FAMILY} - _marked(profile)
    own = unmarked if few else set()
    if profile.for_small_model:
        return _for_small_model(tools, profile.pinned, unmarked)
    always, besides = [], []
    for tool in tools:
        if is_foreign(tool):
            if few_foreign or tool.name in profile.pinned:
                besides.append(tool)
        elif profile.sends_all or (tool.always_sent and tool.family != OWN_FAMILY):
            always.append(tool)
        elif tool.name in profile.pinned or tool.tool in profile.pinned or tool.name in own:
            besides.append(tool)
    if len(always) + len(besides) == len(tools):
        return tools
    return (*always, FIND, CALL, *besides)


def _for_small_model(
    tools: tuple[ToolSpec, ...], pinned: tuple[str, ...], own: set[str]
) -> tuple[ToolSpec, ...]:
    """Few tools in the order in which they are wanted: all that are pinned, then as many as there is room
    for of the agent's own, foreign ones, and those of `SMALL_TOOLS`."""

    def rank(tool: ToolSpec) -> int | None:
        if tool.name in pinned or tool.tool in pinned:
            return 0
        if tool.family == OWN_FAMILY or is_foreign(tool):
            return 1 if tool.name in own or is_foreign(tool) else None
        return 2 + SMALL_TOOLS.index(tool.tool) if tool.tool in SMALL_TOOLS else None

    ranked = [(found, tool) for tool in tools if (found := rank(tool)) is not None]
    wanted = sorted(ranked, key=lambda one: one[0])
    room = MOST_SMALL - len((FIND, CALL))
    chosen = [tool for at, (found, tool) in enumerate(wanted) if found == 0 or at < room]
    if len(chosen) == len(tools):
        return tools
    return (*chosen, FIND, CALL)


def _marked(profile: Profile) -> frozenset[str]:
    return frozenset(one.name for one in profile.own if one.outside)


def is_foreign(tool: ToolSpec) -> bool:
    """Whether it is a foreign server's."""
    return tool.family.startswith(FAMILY)


def _named(profile: Profile) -> str:
    found = {tool.name for tool in sent(profile)}
    families: dict[str, list[str]] = {}
    for tool in profile.tools:
        if tool.name not in found and tool.family != OWN_FAMILY and not is_foreign(tool):
            families.setdefault(tool.family, []).append(tool.name)
    return "\n".join(
        f"- {_with_purpose(family, profile.families.get(family, ''))}: {_names(grouped(families[family]))}"
        for family in sorted(families)
    )


def foreign(profile: Profile) -> str:
    """The foreign servers, a line for each; those of their tools that aren't sent by name."""
    return _once(_foreign, profile)


def _foreign(profile: Profile) -> str:
    found = {tool.name for tool in sent(profile)}
    tools: dict[str, list[ToolSpec]] = {f"{FAMILY}{name}": [] for name in profile.servers}
    for tool in profile.tools:
        if is_foreign(tool):
            tools.setdefault(tool.family, []).append(tool)
    left = MOST_FOREIGN_NAMED // max(1, len(tools))
    return "\n".join(
        f"- {family.removeprefix(FAMILY)} (family {family}): {_foreign_names(family, own, found, left)}"
        for family, own in tools.items()
    )


def _foreign_names(family: str, tools: list[ToolSpec], found: set[str], most: int) -> str:
    if not tools:
        return "no tools"
    rest = [
        tool.name.removeprefix(f"{family.removeprefix(FAMILY)}__") for tool in tools if tool.name not in found
    ]
    if not rest:
        return f"{len(tools)} tools"
    return _names(rest, most)


def own(profile: Profile) -> str:
    """The agent's own tools, each with the first line of its description as far as there is room. Those whose
    definitions are sent are named only. So is what was written when there was material from outside: nobody
    reads it by the way."""
    return _once(_own, profile)


def _own(profile: Profile) -> str:
    tools = [tool for tool in profile.tools if tool.family == OWN_FAMILY]
    named_only = _marked(profile) | {tool.name for tool in sent(profile)}
    said = ["" if tool.name in named_only else _first_line(tool.description) for tool in tools]
    around = sum(len(f"- `{tool.name}`: \n") for tool in tools)
    most = _share(said, MOST_NAMED - around)
    if most < min(_SHORTEST_SAID, max(map(len, said), default=0)):
        return _names([tool.name for tool in tools])
    lines = (
        f"- `{tool.name}`: {_cut(line, most)}" if line else f"- `{tool.name}`"
        for tool, line in zip(tools, said, strict=True)
    )
    return "\n".join(lines)


def _share(texts: list[str], room: int) -> int:
    """How long each may be, so that all have room together: short ones leave theirs to the others."""
    left = room
    for number, length in enumerate(sorted(map(len, texts))):
        share = left // (len(texts) - number)
        if length > share:
            return share
        left -= length
    return _LONGEST_SAID


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return _cut(line, _LONGEST_SAID)


def _cut(line: str, most: int) -> str:
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def needed_by(session: SessionState) -> tuple[str, ...]:
    """The tools without which a session can't end what it has begun: their definitions are always sent."""
    children = ("wait_for_sessions",) if session.children else ()
    report = ("report_result",) if session.parent_id is not None else ()
    ending = ("end_task", "cancel_task") if session.tasks else ()
    return (*children, *report, *ending)


def grouped(names: list[str]) -> list[str]:
    """Names that begin or end with the same word as one: `file_{copy,rename}`, `{get,set}_state`.

    Each costs tokens in every request. A family of very many is left as it is: its names may have to be cut.
    """
    if len(names) > _MOST_GROUPED:
        return names
    first = Counter(name.partition("_")[0] for name in names if "_" in name)
    last = Counter(name.rpartition("_")[2] for name in names if "_" in name)
    together: dict[str, list[str]] = {}
    for name in names:
        begin, end = name.partition("_"), name.rpartition("_")
        if first[begin[0]] >= _A_GROUP:
            together.setdefault(f"{begin[0]}_{{}}", []).append(begin[2])
        elif last[end[2]] >= _A_GROUP:
            together.setdefault(f"{{}}_{end[2]}", []).append(end[0])
        else:
            together[name] = []
    return [_joined(form, parts) if parts else form for form, parts in together.items()]


def _joined(form: str, parts: list[str]) -> str:
    """Names of one form; words that all their parts end with stand once: `{create,delete}_ui_component`. Of
    many their number is enough: `browser_* (17)`."""
    if len(parts) > _MOST_JOINED:
        return f"{form.replace('{}', '*')} ({len(parts)})"
    words = [part.split("_") for part in parts]
    while form.startswith("{}") and _end_alike(words):
        form = f"{{}}_{words[0][-1]}{form[2:]}"
        words = [one[:-1] for one in words]
    return form.replace("{}", f"{{{','.join('_'.join(one) for one in words)}}}")


def _end_alike(words: list[list[str]]) -> bool:
    return all(len(one) > 1 for one in words) and len({one[-1] for one in words}) == 1


def _with_purpose(family: str, purpose: str) -> str:
    return f"{family} ({purpose})" if purpose else family


def _names(names: list[str], most: int = MOST_NAMED) -> str:
    taken = accumulate(len(name) + len(", ") for name in names)
    shown = [name for name, so_far in zip(names, taken, strict=True) if so_far <= most]
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f", and {rest} more" if rest else "")
