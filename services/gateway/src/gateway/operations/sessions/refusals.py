"""Rules that refuse an input, as values: a repeated request gets its first answer in spite of them."""

from gateway.deps import Deps
from gateway.http.problems import ProblemError
from gateway.operations.sessions.directory import KnownSession


async def closed(deps: Deps, session: KnownSession) -> ProblemError | None:
    """The problem that a closed session is; None for one that takes inputs."""
    try:
        await deps.directory.refuse_if_closed(session)
    except ProblemError as refusal:
        return refusal
    return None
