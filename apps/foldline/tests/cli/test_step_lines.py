"""The lines of a start."""

import pytest
from rich.text import Text

from foldline.cli.operating.up import step_line
from foldline.supervisor.readiness import WAITING


@pytest.mark.parametrize("step", ["NATS", "at first use", WAITING, "a step with a long name"])
def test_a_steps_name_and_what_came_of_it_are_apart(step: str) -> None:
    mark, _, rest = Text.from_markup(step_line(step, "browser-pool [1]")).plain.partition(" ")
    assert mark == ("…" if step == WAITING else "✓")
    assert rest.startswith(f"{step} ")
    assert rest.removeprefix(step).strip() == "browser-pool [1]"
