"""channels of Discord"""

import hashlib
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import AfterValidator, Field

from agent_contracts.errors import ErrorKind, Failure, Permanent
from agent_tools.context import CallContext
from agent_tools.ports.outside import AgentEgress
from agent_tools.rest import RestRequest, RestService, asked, object_of, objects_of
from agent_tools.text import TextResult
from agent_tools.tool import EXTERNAL, Arguments, tool

DISCORD = RestService(
    name="Discord",
    url="https://discord.com/api/v10",
    secret="DISCORD_BOT_TOKEN",
    scheme="Bot",
    headers=(("User-Agent", "DiscordBot (https://foldline.invalid, 1)"),),
)
NEEDS = (f"secret:{DISCORD.secret}",)
LONGEST_MESSAGE = 2_000
"""Characters of a message, as Discord counts."""

Snowflake = Annotated[str, Field(pattern=r"^[0-9]{1,20}$")]
Channel = Annotated[Snowflake, Field(description="The channel's id.")]


def parts_of(text: str, longest: int) -> list[str]:
    """The text in parts of at most `longest` characters, cut between lines, or within one that is longer.

    No part is blank; nothing but line breaks between parts, and blank parts, is lost.
    """
    parts: list[str] = []
    rest = text
    while len(rest) > longest:
        end = rest.rfind("\n", 0, longest + 1)
        if end <= 0:
            end = longest
        parts.append(rest[:end])
        rest = rest[end:].removeprefix("\n")
    return [part for part in (*parts, rest) if part.strip()]


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
async def discord_react(args: DiscordReact, egress: AgentEgress) -> TextResult:
    """React to a message of Discord with an emoji."""
    path = (
        f"/channels/{args.channel_id}/messages/{args.message_id}/reactions/{quote(args.emoji, safe=':')}/@me"
    )
    await asked(DISCORD, egress, RestRequest(path, "PUT"))
    return TextResult(text=f"Reacted with {args.emoji} to {args.message_id}.")


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
async def discord_read(args: DiscordRead, egress: AgentEgress) -> TextResult:
    """Read the newest messages of a channel of Discord, the newest first."""
    path = f"/channels/{args.channel_id}/messages?limit={args.limit}"
    messages = objects_of(DISCORD, await asked(DISCORD, egress, RestRequest(path)))
    return TextResult(text="\n".join(_line(one) for one in messages) or "No messages.")


def _line(message: Any) -> str:
    author = (message.get("author") or {}).get("username") or "unknown"
    files = [str(one.get("filename")) for one in message.get("attachments") or []]
    attached = f" [attached: {', '.join(files)}]" if files else ""
    said = " ".join(str(message.get("content") or "").split())
    return f"[{message.get('timestamp')}] {author} ({message.get('id')}): {said}{attached}"


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
async def discord_send(args: DiscordSend, call: CallContext, egress: AgentEgress) -> TextResult:
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
            ask = RestRequest(f"/channels/{args.channel_id}/messages", "POST", body)
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
    return TextResult(text=f"Sent {words} to {args.channel_id} (id {', '.join(sent)}).")
