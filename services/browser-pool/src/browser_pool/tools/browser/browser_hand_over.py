"""`browser_hand_over`: a step that only the person can do."""

from typing import Annotated

from pydantic import Field

from agent_contracts.questions.hand_over import HAND_OVER
from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import EXTERNAL_IDEMPOTENT, Arguments, Pause, tool
from browser_pool.handing_over.port import Person


class HandOver(Arguments):
    """What it is for."""

    reason: Annotated[str, Field(min_length=1, max_length=500, description="Why, in a sentence.")]
    instructions: Annotated[
        str | None, Field(max_length=2_000, description="What to do there, in Markdown.")
    ] = None


@tool("browser_hand_over", family="browser", effect=EXTERNAL_IDEMPOTENT, pauses=True, runs_on=RunsOn.BROWSER)
async def browser_hand_over(args: HandOver, person: Person) -> Pause:
    """Hand the open page to the user for what only they can do, such as a login or a captcha, and wait.

    Gives {"ended": "done"|"declined"|"context_lost", "url", "title"}, or expires. Never ask for a password.
    """
    at, expires_at = await person.take_over()
    show = {"kind": HAND_OVER, "reason": args.reason, "instructions": args.instructions, **at}
    return Pause(show=show, expires_at=expires_at)
