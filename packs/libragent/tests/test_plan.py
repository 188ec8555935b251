"""A plan as text: what is written is what is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_contracts.errors import Rejected
from foldline_libragent.planning import MOST_EARLIER, MOST_TODOS, Plan, plan_in, text_of

SAID = st.text(min_size=1, max_size=40).filter(lambda text: text.split())
CHANGES = st.lists(
    st.one_of(
        SAID.map(lambda text: lambda plan: plan.with_goal(text)),
        SAID.map(lambda text: lambda plan: plan.with_todo(text)),
        SAID.map(lambda text: lambda plan: plan.with_memo(text)),
        st.tuples(st.integers(1, 3), st.booleans(), SAID).map(
            lambda mark: lambda plan: plan.with_mark(*mark) if len(plan.todos) >= mark[0] else plan
        ),
    ),
    max_size=8,
)


@given(CHANGES)
def test_a_plan_is_read_back_from_its_text(changes: list) -> None:  # type: ignore[type-arg]
    plan = Plan()
    for change in changes:
        plan = change(plan)
    assert plan_in(text_of(plan)) == plan


@pytest.mark.parametrize("line", ["## Goal", "## Memos", "- [x] 1. done", "a — done: b"])
def test_what_looks_like_the_form_of_a_plan_is_text(line: str) -> None:
    plan = Plan().with_goal(line).with_todo(line).with_memo(line).with_mark(1, True, line)
    assert plan_in(text_of(plan)) == plan
    assert (plan.todos[0].id, plan.memos[0].id) == (1, 1)


def test_a_plan_of_nothing_is_no_text() -> None:
    assert text_of(Plan()) == ""
    assert plan_in("something else\n- [x] 1. not under a heading") == Plan()


def test_earlier_goals_are_kept_the_last_of_them() -> None:
    plan = Plan()
    for number in range(MOST_EARLIER + 5):
        plan = plan.with_goal(f"goal {number}")
    assert plan.goal == f"goal {MOST_EARLIER + 4}"
    assert plan.earlier == tuple(f"goal {number}" for number in range(4, MOST_EARLIER + 4))


def test_a_plan_does_not_grow_without_end() -> None:
    plan = Plan()
    for _ in range(MOST_TODOS):
        plan = plan.with_todo("x")
    with pytest.raises(Rejected, match="200 to-dos"):
        plan.with_todo("x")
