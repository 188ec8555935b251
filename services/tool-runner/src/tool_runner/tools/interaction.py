"""the user"""

from typing import Annotated

from pydantic import AfterValidator, Field

from agent_tools.tool import PURE, Arguments, Pause, tool


def _has_words(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _differ(options: list[str]) -> list[str]:
    seen = [option.strip() for option in options]
    for option in seen:
        if seen.count(option) > 1:
            raise ValueError(f"the option {option!r} appears more than once")
    return options


Words = Annotated[str, AfterValidator(_has_words)]


class AskUser(Arguments):
    """What to ask."""

    question: Annotated[Words, Field(min_length=1, description="One question, in Markdown.")]
    options: Annotated[
        Annotated[list[Annotated[Words, Field(min_length=1)]], AfterValidator(_differ)] | None,
        Field(
            min_length=1,
            description="Shown as buttons.",
        ),
    ] = None


@tool("ask_user", family="interaction", effect=PURE, pauses=True, always_sent=True)
async def ask_user(args: AskUser) -> Pause:
    """Ask the user what only they can tell, and wait for the answer.

    Gives {"answer": "...", "from_options": true|false}: they may type something else than an option.
    """
    return Pause(show={"kind": "ask_user", "question": args.question, "options": args.options})
