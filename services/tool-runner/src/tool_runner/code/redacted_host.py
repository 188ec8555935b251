"""Code that was shown the value of a secret: what it makes goes on without the value."""

import msgspec

from agent_contracts.json_value import Json
from egress.redaction import Redaction
from tool_runner.sandbox.host import HostCalls
from tool_runner.sandbox.outcome import LogLine, ProgramOutcome


class RedactedHost:
    """A host that sees placeholders for values, in whatever code gives it. Only the way out, which knows who
    may have which, gets a request as the code made it."""

    def __init__(self, host: HostCalls, redaction: Redaction) -> None:
        self._host = host
        self._redaction = redaction

    async def call(self, name: str, arguments: list[Json]) -> Json:
        """See `HostCalls`."""
        if name != "fetch":
            arguments = [self._redaction.json(argument) for argument in arguments]
        return await self._host.call(name, arguments)

    def waits(self, name: str) -> bool:
        """See `HostCalls`."""
        return self._host.waits(name)


def redacted(outcome: ProgramOutcome, redaction: Redaction) -> ProgramOutcome:
    """The outcome with placeholders for values: in its result, its log and its error."""
    error = outcome.error
    if error is not None:
        texts = {
            name: redaction.excerpt(text)
            for name, text in msgspec.structs.asdict(error).items()
            if isinstance(text, str) and name != "kind"
        }
        error = msgspec.structs.replace(error, **texts)
    logs = tuple(LogLine(line.level, redaction.excerpt(line.text)) for line in outcome.logs)
    return msgspec.structs.replace(outcome, value=redaction.json(outcome.value), error=error, logs=logs)
