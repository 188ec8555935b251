"""`discord_send`: write into a channel."""

import hashlib
from typing import Annotated

from pydantic import AfterValidator, Field

from agent_contracts.errors import ErrorKind, Failure, Permanent
from agent_tools.context import CallContext
from agent_tools.ports.outside import AgentEgress
from agent_tools.rest import Ask, asked, object_of
from agent_tools.text import Text
from agent_tools.tool import EXTERNAL, Arguments, tool
from foldline_protoagent.discord.service import DISCORD, LONGEST_MESSAGE, NEEDS, Channel
from foldline_protoagent.discord.splitting import parts_of

_LONGEST = 20_000
"""Characters: ten messages, more would be a flood."""


def _has_words(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


class DiscordSend(Arguments):
    """What, and where."""

    channel_id: Channel
    content: Annotated[
        str,
        AfterValidator(_has_words),
        Field(max_length=_LONGEST, description="Markdown; beyond 2,000 characters, several messages."),
    ]


@tool(
    "discord_send",
    family="discord",
    effect=EXTERNAL,
    timeout_s=120,
    needs=NEEDS,
    fixed_host=DISCORD.asked_by("POST"),
)
async def discord_send(args: DiscordSend, call: CallContext, egress: AgentEgress) -> Text:
    """Write a message into a channel of Discord."""
    parts = parts_of(args.content, LONGEST_MESSAGE)
    sent: list[str] = []
    for number, part in enumerate(parts):
        nonce = hashlib.sha256(f"{call.idempotency_key}-{number}-{part}".encode()).hexdigest()[:24]
        body = {
            "content": part,
            "nonce": nonce,
            "enforce_nonce": True,
            "allowed_mentions": {"parse": ["users"]},
        }
        try:
            ask = Ask(f"/channels/{args.channel_id}/messages", "POST", body)
            answer = await asked(DISCORD, egress, ask)
        except Failure as failure:
            if not sent:
                raise
            raise Permanent(
                f"{failure.message}. Of {len(parts)} messages, {len(sent)} were sent before: "
                f"{', '.join(sent)}. Don't send those again.",
                kind=ErrorKind.UPSTREAM,
            ) from failure
        sent.append(str(object_of(DISCORD, answer).get("id", "?")))
    words = "message" if len(sent) == 1 else f"{len(sent)} messages"
    return Text(text=f"Sent {words} to {args.channel_id} (id {', '.join(sent)}).")
