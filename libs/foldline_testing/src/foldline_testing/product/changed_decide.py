"""The engine's `decide` with one line changed on purpose: what strict replay must notice."""

import inspect
import types
from collections.abc import Callable

from agent_contracts.session_events.decisions import Decision
from session_domain.domain import decide as module
from session_domain.domain.state import SessionState

LINE = "        return ev.BecameIdle()\n"
CHANGED = '        return ev.BecameIdle(reason="interrupted")\n'


def changed_decide() -> Callable[[SessionState], Decision | None]:
    """Today's `decide`, but that a turn that was answered ends as if it had been interrupted."""
    source = inspect.getsource(module)
    assert source.count(LINE) == 1, "decide.py no longer has the line that is to be changed"
    changed = types.ModuleType("changed_decide")
    exec(compile(source.replace(LINE, CHANGED), "decide.py, changed", "exec"), changed.__dict__)
    decide: Callable[[SessionState], Decision | None] = changed.__dict__["decide"]
    return decide
