"""The rules of the presets. A person's own come before them."""

from collections.abc import Mapping, Sequence
from typing import Final

from agent_contracts.entities.definitions import OWN_FAMILY
from agent_contracts.entities.mcp_tools import GET_MCP_PROMPT, READ_MCP_RESOURCE
from agent_contracts.policies import Match, Preset, Rule, Verdict
from agent_contracts.tool_spec import Effect

_ASK, _ALLOW = Verdict.ASK, Verdict.ALLOW
FUNCTION_FAMILY = "function"
"""That of a function which a page calls."""
_READING: Final = ("web", "browser", "files", "code", "mcp", "selftest", OWN_FAMILY, FUNCTION_FAMILY)
"""Families whose external tools read; what their code sends is judged by itself, as it leaves."""

_UNKNOWN: Final = "This URL appeared nowhere before, so it could leak data"

_NAMING: Final = (READ_MCP_RESOURCE, GET_MCP_PROMPT)
_UNLISTED: Final = "It sends the server text that appeared nowhere before, so it could leak data"

_UNSEEN: Final = "It is encrypted, so Foldline can't see the content"

_OF_EACH_SESSION: Final = "It changes every later session of this agent"

_INSIDE = (
    Rule(_ALLOW, Match(effect=Effect.PURE), "It only reads what the agent has"),
    Rule(_ALLOW, Match(effect=Effect.RECORDED), "It only changes what the agent has, and you can undo it"),
)
_BALANCED = (
    Rule(_ASK, Match(method="GET", after_outside=True, known_url=False), _UNKNOWN),
    Rule(_ASK, Match(method="HEAD", after_outside=True, known_url=False), _UNKNOWN),
    Rule(_ALLOW, Match(method="GET"), "It only reads from the web"),
    Rule(_ALLOW, Match(method="HEAD"), "It only reads from the web"),
    Rule(_ASK, Match(method="CONNECT"), _UNSEEN),
    Rule(_ASK, Match(method="*"), "It sends something out"),
    # What a page sends while that runs is a request, and judged above.
    Rule(_ASK, Match(tool="browser_evaluate"), "It runs code in a page that may be signed in"),
    Rule(_ASK, Match(command="*"), "It runs a command"),
    Rule(_ASK, Match(lasting=True, after_outside=True), _OF_EACH_SESSION),
    *(Rule(_ASK, Match(tool=tool, after_outside=True, known_url=False), _UNLISTED) for tool in _NAMING),
    *_INSIDE,
    *(Rule(_ALLOW, Match(family=family), "It only reads from outside") for family in _READING),
    Rule(_ASK, Match(), "It acts on the outside world"),
)
_CAUTIOUS = (
    Rule(_ASK, Match(command="*"), "It runs a command"),
    Rule(_ASK, Match(host="*"), "It reaches out of this machine"),
    *_INSIDE,
    Rule(_ASK, Match(), "It acts on the outside world"),
)
_FREE = (Rule(_ALLOW, Match(), "The policy is free"),)

RULES_OF: Mapping[Preset, Sequence[Rule]] = {"cautious": _CAUTIOUS, "balanced": _BALANCED, "free": _FREE}
"""The first rule that fits counts; the last of each fits everything."""
