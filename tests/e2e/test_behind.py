"""While the projections are behind, what a person asks for by name is still as it is now."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent_contracts import service_names
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.chaos import story
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.command import Command


@contextmanager
def _frozen(pids: list[int]) -> Iterator[None]:
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def test_a_session_is_shown_as_it_is_while_nothing_is_projected(processes: Stage, tmp_path: Path) -> None:
    foldline = Command(processes.stack.data_dir, tmp_path)
    processes.model.play({"rules": [{"reply": {"text": "You said: {{ last_user }}"}}]})
    try:
        with processes.stack.gateway() as door:
            turn = ChatTurn(door, None)
            turn.say("before")
            list(turn.pieces())
            with _frozen(processes.stack.pids(service_names.PROJECTOR)):
                turn.say("meanwhile")
                list(turn.pieces())
                shown = foldline("show", turn.session_id)
            assert "You said: meanwhile" in shown.out, shown
    finally:
        processes.model.play(story.script())
