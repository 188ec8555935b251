"""A plan as data, and as the text that it is kept and shown as. Pure.

The text is Markdown in a fixed form, so that people and models read what the tools work on.
"""

import re
from collections.abc import Iterable

import msgspec

from agent_contracts.errors import ErrorKind, Rejected

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
