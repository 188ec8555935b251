"""`send_message`: a word to the user in the middle of a turn."""

from typing import Annotated, Literal

from pydantic import Field

from agent_tools.tool import PURE, Arguments, Result, tool


class SendMessage(Arguments):
    """What to say."""

    text: Annotated[str, Field(min_length=1, description="Markdown.")]


class Sent(Result):
    """The message stands in the chat: this call's arguments are what is shown."""

    ok: Literal[True] = True


@tool("send_message", family="rendering", effect=PURE, always_sent=True)
async def send_message(args: SendMessage) -> Sent:
    """Tell the user something and carry on. Your final answer needs no tool."""
    return Sent()
