"""Tools that need something of the agent's are offered to those that have it."""

import msgspec
import pytest

from agent_contracts.entities.delegates import Delegate
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from model_caller.offering.needs import has, lacking, offered
from session_domain.domain.shown.profile import ProfileEntry

PLAIN = ToolSpec("calculator", "", {}, "arithmetic", Effect.PURE, RunsOn.TOOLS)
SENDS = msgspec.structs.replace(PLAIN, name="discord_send", needs=("secret:DISCORD_BOT_TOKEN",))
ASKS = msgspec.structs.replace(PLAIN, name="delegate_to", needs=("delegate",))
PEERS = msgspec.structs.replace(PLAIN, name="peer_consult", needs=("delegate:a2a",))
ALL = (PLAIN, SENDS, ASKS, PEERS)
MODEL = Delegate("mini", "openai", "https://mini.test", model="m")
AGENT = Delegate("scout", "a2a", "https://scout.test")
TOKEN = ProfileEntry("DISCORD_BOT_TOKEN", "")


@pytest.mark.parametrize(
    ("delegates", "secrets", "tools"),
    [
        ((), (), (PLAIN,)),
        ((), (TOKEN,), (PLAIN, SENDS)),
        ((), (ProfileEntry("OTHER", ""),), (PLAIN,)),
        ((MODEL,), (), (PLAIN, ASKS)),
        ((AGENT,), (TOKEN,), ALL),
    ],
)
def test_a_tool_is_offered_where_there_is_what_it_needs(
    delegates: tuple[Delegate, ...], secrets: tuple[ProfileEntry, ...], tools: tuple[ToolSpec, ...]
) -> None:
    assert offered(ALL, has(delegates, secrets)) == tools


def test_where_nothing_is_left_out_the_tools_are_the_same_object() -> None:
    tools = (PLAIN,)
    assert offered(tools, has((), ())) is tools


def test_what_a_tool_lacks_is_told_by_its_name() -> None:
    assert lacking(ALL, has((MODEL,), ())) == {
        "discord_send": ("secret:DISCORD_BOT_TOKEN",),
        "peer_consult": ("delegate:a2a",),
    }
