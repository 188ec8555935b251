"""`discord_read`: what was said in a channel."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from agent_tools.ports.outside import AgentEgress
from agent_tools.rest import Ask, asked, objects_of
from agent_tools.text import Text
from agent_tools.tool import EXTERNAL, Arguments, tool
from foldline_protoagent.discord.service import DISCORD, NEEDS, Channel

_MOST = 100


class DiscordRead(Arguments):
    """Where, and how much."""

    channel_id: Channel
    limit: Annotated[
        int, AfterValidator(lambda n: max(1, min(n, _MOST))), Field(description="Messages, 1 to 100.")
    ] = 20


@tool(
    "discord_read",
    family="discord",
    effect=EXTERNAL,
    timeout_s=45,
    source="web",
    needs=NEEDS,
    fixed_host=DISCORD.asked_by(),
)
async def discord_read(args: DiscordRead, egress: AgentEgress) -> Text:
    """Read the newest messages of a channel of Discord, the newest first."""
    path = f"/channels/{args.channel_id}/messages?limit={args.limit}"
    messages = objects_of(DISCORD, await asked(DISCORD, egress, Ask(path)))
    return Text(text="\n".join(_line(one) for one in messages) or "No messages.")


def _line(message: Any) -> str:
    author = (message.get("author") or {}).get("username") or "unknown"
    files = [str(one.get("filename")) for one in message.get("attachments") or []]
    attached = f" [attached: {', '.join(files)}]" if files else ""
    said = " ".join(str(message.get("content") or "").split())
    return f"[{message.get('timestamp')}] {author} ({message.get('id')}): {said}{attached}"
