"""`send_message`: a word to the user in the middle of a turn."""

from typing import Annotated, Literal

from pydantic import Field

from agent_tools.tool import PURE, Arguments, Result, tool


class SendMessage(Arguments):
    """What to say."""

    text: Annotated[str, Field(min_length=1, description="The message, in Markdown.")]


class Sent(Result):
    """The message stands in the chat: this call's arguments are what is shown."""

    ok: Literal[True] = True


@tool("send_message", family="rendering", effect=PURE)
async def send_message(args: SendMessage) -> Sent:
    """Show the user a chat message at once and carry on working.

    Use it for progress or an early finding during long work. It does not wait for a reply: to get one, use
    ask_user. Your final answer needs no tool; just write it.
    """
    return Sent()
