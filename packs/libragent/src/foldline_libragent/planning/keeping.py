"""Where a session's plan is kept, and how a tool changes it."""

from collections.abc import Callable

from agent_contracts.api.state import Operation
from agent_contracts.entities.agent_texts import plan_of
from agent_domain.text_edits import TextEdit
from agent_platform.log.storable_text import storable_text
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import Result
from foldline_libragent.planning.plan import Plan, plan_in, text_of


class TodoNow(Result):
    """Something to do; `summary` is what came of it."""

    id: int
    name: str
    completed: bool
    summary: str


class MemoNow(Result):
    """Something that must not be forgotten."""

    id: int
    memo: str


class PlanNow(Result):
    """The plan of this session as it is now."""

    goal: str | None
    earlier_goals: list[str]
    todos: list[TodoNow]
    memos: list[MemoNow]


async def plan_now(texts: AgentTexts, call: CallContext) -> PlanNow:
    """The plan."""
    return _shown(plan_in((await texts.read(plan_of(call.session_id))).text))


async def changed(texts: AgentTexts, call: CallContext, change: Callable[[Plan], Plan]) -> PlanNow:
    """The plan after a change."""
    which = plan_of(call.session_id)
    plan = change(plan_in((await texts.read(which)).text))
    await texts.edit(which, TextEdit(Operation.REPLACE, content=storable_text(text_of(plan))))
    return _shown(plan)


def _shown(plan: Plan) -> PlanNow:
    return PlanNow(
        goal=plan.goal or None,
        earlier_goals=list(plan.earlier),
        todos=[
            TodoNow(id=one.id, name=one.name, completed=one.completed, summary=one.summary)
            for one in plan.todos
        ],
        memos=[MemoNow(id=one.id, memo=one.memo) for one in plan.memos],
    )
