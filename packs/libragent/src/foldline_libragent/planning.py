"""goal, to-dos and memos of this session"""

import re
from collections.abc import Callable, Iterable
from typing import Annotated

import msgspec
from pydantic import Field

from agent_contracts.api.state import Operation
from agent_contracts.entities.agent_texts import plan_of
from agent_contracts.errors import ErrorKind, Rejected
from agent_domain.text_edits import TextEdit
from agent_platform.log.storable_text import storable_text
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool

MOST_TODOS = 200
MOST_MEMOS = 100
MOST_EARLIER = 20
"""Goals that were cleared; of more, the oldest go."""

_GOAL, _EARLIER, _TODOS, _MEMOS = "## Goal", "## Earlier goals", "## To-dos", "## Memos"
_TODO = re.compile(r"- \[([ x])\] ([0-9]{1,9})\. (.*)")
_MEMO = re.compile(r"- ([0-9]{1,9})\. (.*)")
_DONE = " — done: "


class Todo(msgspec.Struct, frozen=True):
    """Something to do; `summary` is what came of it."""

    id: int
    name: str
    completed: bool = False
    summary: str = ""


class Memo(msgspec.Struct, frozen=True):
    """Something that must not be forgotten."""

    id: int
    memo: str


class Plan(msgspec.Struct, frozen=True):
    """What a session is about to do. Ids are counted per list, and not given twice while one is in it."""

    goal: str = ""
    earlier: tuple[str, ...] = ()
    todos: tuple[Todo, ...] = ()
    memos: tuple[Memo, ...] = ()

    def with_goal(self, goal: str) -> "Plan":
        """Another goal; the one before is an earlier one."""
        return msgspec.structs.replace(self.without_goal(), goal=in_one_line(goal, "/goal"))

    def without_goal(self) -> "Plan":
        """No goal."""
        earlier = (*self.earlier, self.goal)[-MOST_EARLIER:] if self.goal else self.earlier
        return msgspec.structs.replace(self, goal="", earlier=earlier)

    def with_todo(self, name: str) -> "Plan":
        """One more to do. `Rejected(kind="too_large")` where there are enough."""
        _require_room(self.todos, MOST_TODOS, "to-dos: clear those that are done")
        name = in_one_line(name, "/name").replace(_DONE, " – done: ")
        todo = Todo(_next(one.id for one in self.todos), name)
        return msgspec.structs.replace(self, todos=(*self.todos, todo))

    def with_mark(self, number: int, completed: bool, summary: str) -> "Plan":
        """One of the to-dos done, or not. `Rejected(kind="not_found")` where there is none."""
        _require(number, [one.id for one in self.todos], "to-do")
        said = in_one_line(summary, "/summary") if summary else ""

        def marked(one: Todo) -> Todo:
            if one.id != number:
                return one
            return msgspec.structs.replace(one, completed=completed, summary=said if completed else "")

        return msgspec.structs.replace(self, todos=tuple(map(marked, self.todos)))

    def without_todos(self, numbers: tuple[int, ...] | None) -> "Plan":
        """Without these, or (None) without any."""
        for number in numbers or ():
            _require(number, [one.id for one in self.todos], "to-do", "/ids")
        left = () if numbers is None else tuple(one for one in self.todos if one.id not in numbers)
        return msgspec.structs.replace(self, todos=left)

    def with_memo(self, memo: str) -> "Plan":
        """One more memo. `Rejected(kind="too_large")` where there are enough."""
        _require_room(self.memos, MOST_MEMOS, "memos: clear some")
        made = Memo(_next(one.id for one in self.memos), in_one_line(memo, "/memo"))
        return msgspec.structs.replace(self, memos=(*self.memos, made))

    def without_memo(self, number: int) -> "Plan":
        """Without this one. `Rejected(kind="not_found")` where there is none."""
        _require(number, [one.id for one in self.memos], "memo")
        return msgspec.structs.replace(self, memos=tuple(one for one in self.memos if one.id != number))


def text_of(plan: Plan) -> str:
    """A plan as text; an empty one is no text."""
    parts = [
        (_GOAL, [plan.goal] if plan.goal else []),
        (_EARLIER, [f"- {goal}" for goal in plan.earlier]),
        (_TODOS, [_todo_line(todo) for todo in plan.todos]),
        (_MEMOS, [f"- {memo.id}. {memo.memo}" for memo in plan.memos]),
    ]
    return "\n\n".join("\n".join([heading, *lines]) for heading, lines in parts if lines)


def plan_in(text: str) -> Plan:
    """The plan in a text that `text_of` gave. What isn't of its form is passed over."""
    parts: dict[str, list[str]] = {}
    heading = ""
    for line in text.split("\n"):
        if line in (_GOAL, _EARLIER, _TODOS, _MEMOS):
            heading = line
        elif line:
            parts.setdefault(heading, []).append(line)
    todos = (_TODO.fullmatch(line) for line in parts.get(_TODOS, ()))
    memos = (_MEMO.fullmatch(line) for line in parts.get(_MEMOS, ()))
    return Plan(
        goal=next(iter(parts.get(_GOAL, ())), ""),
        earlier=tuple(line.removeprefix("- ") for line in parts.get(_EARLIER, ())),
        todos=tuple(_todo(found) for found in todos if found),
        memos=tuple(Memo(int(found.group(1)), found.group(2)) for found in memos if found),
    )


def in_one_line(text: str, path: str) -> str:
    """A text as a line of a plan. `Rejected` for one without words."""
    line = " ".join(text.split())
    if not line:
        raise Rejected("it says nothing", kind=ErrorKind.INVALID_ARGUMENTS, path=path)
    return f"\u200b{line}" if line.startswith("## ") else line


def _todo_line(todo: Todo) -> str:
    summary = f"{_DONE}{todo.summary}" if todo.summary else ""
    return f"- [{'x' if todo.completed else ' '}] {todo.id}. {todo.name}{summary}"


def _todo(found: re.Match[str]) -> Todo:
    name, _, summary = found.group(3).partition(_DONE)
    return Todo(int(found.group(2)), name, found.group(1) == "x", summary)


def _next(ids: Iterable[int]) -> int:
    return max(ids, default=0) + 1


def _require(number: int, there: list[int], what: str, path: str = "/id") -> None:
    if number not in there:
        known = ", ".join(map(str, there)) or "none"
        raise Rejected(f"there is no {what} {number}: there is {known}", kind=ErrorKind.NOT_FOUND, path=path)


def _require_room(things: tuple[object, ...], most: int, what: str) -> None:
    if len(things) >= most:
        raise Rejected(f"there are {most} {what}", kind=ErrorKind.TOO_LARGE)


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


class AddMemo(Arguments):
    """What."""

    memo: Annotated[str, Field(min_length=1, max_length=2_000)]


@tool("add_memo", family="planning", effect=RECORDED)
async def add_memo(args: AddMemo, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Note an observation that must stay in view for the rest of this session."""
    return await changed(texts, call, lambda plan: plan.with_memo(args.memo))


class AddTodo(Arguments):
    """What to do."""

    name: Annotated[str, Field(min_length=1, max_length=2_000)]


@tool("add_todo", family="planning", effect=RECORDED)
async def add_todo(args: AddTodo, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Add a to-do to the plan of this session. Its id is in the result."""
    return await changed(texts, call, lambda plan: plan.with_todo(args.name))


class ClearGoal(Arguments):
    """Nothing to say."""


@tool("clear_goal", family="planning", effect=RECORDED)
async def clear_goal(args: ClearGoal, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Clear the goal of this session, as when it is reached. It stays among the earlier goals."""
    return await changed(texts, call, lambda plan: plan.without_goal())


class ClearMemo(Arguments):
    """Which one."""

    id: Annotated[int, Field(ge=1)]


@tool("clear_memo", family="planning", effect=RECORDED)
async def clear_memo(args: ClearMemo, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Remove a memo from the plan."""
    return await changed(texts, call, lambda plan: plan.without_memo(args.id))


class ClearTodos(Arguments):
    """Which ones."""

    ids: Annotated[
        list[Annotated[int, Field(ge=1)]] | None, Field(min_length=1, max_length=200, description="Else all.")
    ] = None


@tool("clear_todos", family="planning", effect=RECORDED)
async def clear_todos(args: ClearTodos, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Remove to-dos from the plan, done or not."""
    return await changed(
        texts, call, lambda plan: plan.without_todos(None if args.ids is None else tuple(args.ids))
    )


class CreateGoal(Arguments):
    """The goal."""

    goal: Annotated[str, Field(min_length=1, max_length=4_000, description="In one sentence.")]


@tool("create_goal", family="planning", effect=RECORDED)
async def create_goal(args: CreateGoal, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Set the goal of this session. It stays in view; the one before becomes an earlier goal."""
    return await changed(texts, call, lambda plan: plan.with_goal(args.goal))


class GetCurrentState(Arguments):
    """Nothing to say."""


@tool("get_current_state", family="planning", effect=PURE)
async def get_current_state(args: GetCurrentState, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Read the plan of this session: goal, earlier goals, to-dos, memos."""
    return await plan_now(texts, call)


class MarkTodo(Arguments):
    """Which one."""

    id: Annotated[int, Field(ge=1)]
    completed: bool = True
    summary: Annotated[str | None, Field(max_length=2_000, description="What came of it.")] = None


@tool("mark_todo", family="planning", effect=RECORDED)
async def mark_todo(args: MarkTodo, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Mark a to-do as done, with what came of it, or as not done."""
    return await changed(
        texts, call, lambda plan: plan.with_mark(args.id, args.completed, args.summary or "")
    )
