"""`browser_evaluate`: JavaScript in the page."""

from typing import Annotated

from pydantic import Field

from agent_contracts.json_value import Json
from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import EXTERNAL, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.dialog_arguments import AnswersDialogs
from browser_pool.browsing.evaluating import evaluated
from browser_pool.browsing.results import AtPage


class Evaluate(AnswersDialogs):
    """The code."""

    code: Annotated[
        str,
        Field(
            min_length=1,
            max_length=100_000,
            description="An expression, a function, or statements with `return`; may use `await`.",
        ),
    ]


class Evaluated(AtPage):
    """Its value as JSON, and where the page is now."""

    result: Json


@tool("browser_evaluate", family="browser", effect=EXTERNAL, runs_on=RunsOn.BROWSER, source="web")
async def browser_evaluate(args: Evaluate, browser: SessionBrowser) -> Evaluated:
    """Run JavaScript in the page, and get its value as JSON (up to 1 MiB)."""
    async with browser.visit(args.dialogs) as visit:
        result = await evaluated(visit.page, args.code)
        await visit.settle()
        return Evaluated(result=result, **await visit.where(), **await visit.beside())
