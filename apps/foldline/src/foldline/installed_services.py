"""The services that are installed, as the command line and the supervisor take them: a bad one of somebody
else's is said and left out, one of ours is needed."""

from collections.abc import Sequence

from agent_contracts import service_names
from agent_contracts.errors import Rejected
from agent_platform.services.discovery import broken

OURS = frozenset(name for key, name in vars(service_names).items() if key.isupper())
"""Without each of these nothing is whole."""


def left_out() -> Sequence[str]:
    """A sentence for each service of somebody else's that can't be loaded. `Rejected` for one of ours."""
    found = broken()
    ours = [problem for name, problem in found.items() if name in OURS]
    if ours:
        raise Rejected("; ".join(ours), kind="bad_service")
    return [f"{problem}. It is left out; the rest runs" for problem in found.values()]
