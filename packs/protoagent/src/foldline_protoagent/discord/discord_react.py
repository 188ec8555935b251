"""`discord_react`: react to a message."""

from typing import Annotated
from urllib.parse import quote

from pydantic import Field

from agent_tools.ports.outside import AgentEgress
from agent_tools.rest import Ask, asked
from agent_tools.text import Text
from agent_tools.tool import EXTERNAL, Arguments, tool
from foldline_protoagent.discord.service import DISCORD, NEEDS, Channel, Snowflake


class DiscordReact(Arguments):
    """To what, and how."""

    channel_id: Channel
    message_id: Annotated[Snowflake, Field(description="The message's id.")]
    emoji: Annotated[
        str, Field(min_length=1, max_length=64, description="An emoji, or name:id of the server's own.")
    ]


@tool(
    "discord_react",
    family="discord",
    effect=EXTERNAL,
    timeout_s=45,
    needs=NEEDS,
    fixed_host=DISCORD.asked_by("PUT"),
)
async def discord_react(args: DiscordReact, egress: AgentEgress) -> Text:
    """React to a message of Discord with an emoji."""
    path = (
        f"/channels/{args.channel_id}/messages/{args.message_id}/reactions/{quote(args.emoji, safe=':')}/@me"
    )
    await asked(DISCORD, egress, Ask(path, "PUT"))
    return Text(text=f"Reacted with {args.emoji} to {args.message_id}.")
