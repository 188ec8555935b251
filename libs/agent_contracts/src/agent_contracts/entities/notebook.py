"""The notebook: tabs of notes that people and an agent share, each with what the agent may do with it.

It is kept in the agent's state, where pages show it live, under keys of its own: `NOTEBOOK` lists the tabs,
in their order, and each tab is a value. Only people and the notebook's own tools read and write these keys:
what an agent may not see or change, its other tools and its code can't either.
"""

import msgspec

from agent_contracts.json_value import Json

NOTEBOOK = "shared-notes"
LONGEST_TAB_NAME = 64
LONGEST_NOTES = 100_000
"""Characters of a tab."""
MOST_TABS = 100


class NoteTab(msgspec.Struct, frozen=True):
    """A tab. `agent_read` and `agent_write` are for people to say."""

    name: str
    content: str
    agent_read: bool
    agent_write: bool


def tab_key(name: str) -> str:
    """Under which key of the state a tab is kept."""
    return f"{NOTEBOOK}/{name}"


def is_of_notebook(key: str) -> bool:
    """Whether a key of the state is one of the notebook's."""
    return key == NOTEBOOK or key.startswith(f"{NOTEBOOK}/")


def tab_names(value: Json) -> list[str]:
    """The tabs that a value of `NOTEBOOK` lists; what can't be one is left out."""
    listed = value if isinstance(value, list) else []
    names = (one for one in listed if isinstance(one, str) and 1 <= len(one) <= LONGEST_TAB_NAME)
    return list(dict.fromkeys(names))[:MOST_TABS]


def tab_in(name: str, value: Json) -> NoteTab:
    """The tab of a value; what a person didn't allow isn't allowed."""
    found = value if isinstance(value, dict) else {}
    content = found.get("content")
    return NoteTab(
        name=name,
        content=content if isinstance(content, str) else "",
        agent_read=found.get("agentRead") is True,
        agent_write=found.get("agentWrite") is True,
    )


def value_of(tab: NoteTab) -> dict[str, Json]:
    """The value that keeps a tab."""
    return {"content": tab.content, "agentRead": tab.agent_read, "agentWrite": tab.agent_write}
