"""What an agent shows a person and waits on: the kinds of `show`, and what an answer looks like."""

from collections.abc import Mapping

from agent_contracts.json_value import Json
from agent_contracts.policies import APPROVAL

RENDER_AND_WAIT = "render_and_wait"
"""A component that the agent wrote; its answer has an `action` and whatever else the component gave."""
RENDER_BLOCKS = "render_blocks"
"""Ready-made blocks; a form among them is answered by its `data`, anything may be dismissed."""
USER_INPUT = "user_input"
"""Steps of fields, one after another; answered by the values of all of them, which are the call's result."""
MCP_INPUT = "mcp_input"
"""What a foreign server asks for in the middle of a call: fields, as steps, or an address that a person is to
open. A person gives it, declines, or dismisses it; then the call goes on with that."""
MCP_TASK = "mcp_task"
"""Nobody is asked: a foreign server works on it, and is looked after from time to time."""
WAITS_FOR_NOBODY = frozenset(("wait_for_sessions", MCP_TASK))
"""Kinds of what is shown of calls that no person can answer."""

SUBMIT = "submit"
DISMISS = "dismiss"
DECLINE = "decline"
"""What was asked for is refused: not the same as closing it."""

ANSWER_SCHEMA = "answer_schema"
"""Of `show`: the JSON Schema of a form's data. Whoever takes an answer checks it by this one."""

LONGEST_ACTION = 200
"""Characters of an action's name."""
LARGEST_SHOWN = 256 * 1024
"""Bytes of JSON: what is put before a person, and what they answer."""


def goes_on(show: Mapping[str, Json] | None) -> bool:
    """Whether a pending call that shows this isn't over with its answer: it is asked for again, with that."""
    if show is None:
        return False
    return show.get("kind") in (MCP_INPUT, MCP_TASK) or (show.get("kind") == APPROVAL and "round" in show)
