"""`foldline chats`: the people who write to an agent from another program."""

from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.api.chats import ChatChannelState, ChatPartner
from agent_contracts.api.wire import Page
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected
from agent_domain.chats.book import full_channels
from foldline.cli.client import gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id, whole
from foldline.cli.output import JsonOption, done, failures_shown, needed, warn


class ChatAction(StrEnum):
    """The action to take."""

    LIST = "list"
    ALLOW = "allow"
    REMOVE = "remove"


def chats(
    action: Annotated[ChatAction, typer.Argument(help="The action to take.")] = ChatAction.LIST,
    who: Annotated[
        str | None,
        typer.Argument(help="allow: the code that the person gave you. remove: the person's id."),
    ] = None,
    agent: Annotated[str, typer.Option(help="allow: the agent that the person writes to.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List, allow or remove people who write to an agent from another program, by a chat channel.

    Somebody unknown gets a code, for an hour. Allow only a code that the person gave you."""
    with failures_shown(), gateway() as door:
        found = door.read("/chat-partners", Page[ChatPartner]).items
        if action is ChatAction.LIST:
            none = "Nobody writes from another program. See docs/extend/chat-channel.md"
            listed(found, ("person", "channel", "name", "agent", "session"), _row, none=none, as_json=as_json)
            for channel in door.read("/chat-channels", Page[ChatChannelState]).items:
                if channel.problem is not None:
                    warn(f"{channel.name} doesn't work since {channel.changed_at}: {channel.problem}")
                elif not channel.heard:
                    warn(f"{channel.name}: not heard from since the start, at {channel.changed_at}")
            for full in full_channels(found):
                warn(full)
            return
        who = needed(who, "Say who", f"chats {action} {'CODE' if action is ChatAction.ALLOW else 'ID'}")
        if action is ChatAction.REMOVE:
            partner_id = whole([one.id for one in found], who, "person")
            done(door.delete(f"/chat-partners/{partner_id}"), "They can't write any more", as_json)
            return
        code = who.upper().replace("-", "")
        partner = next((one for one in found if one.code == code), None)
        if partner is None:
            raise Rejected("Nobody was told this code within the last hour", kind="not_found")
        body = {"code": code, "agent_id": agent_id(door, agent)}
        allowed = door.post(f"/chat-partners/{partner.id}:allow", body)
        done(allowed, f"{partner.name} can write to {body['agent_id']} by {partner.channel} now", as_json)


def _row(one: ChatPartner) -> tuple[str, ...]:
    if one.code is not None:
        return one.id, one.channel, one.name, "waits to be allowed", ""
    return one.id, one.channel, one.name, one.agent_id or "", one.session_id or "a new one"
