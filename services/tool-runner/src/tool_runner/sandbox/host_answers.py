"""What a host call becomes for the code: a value or an exception, whatever happens on our side.

Answers have turns by their size, from before they are looked up until they are on their way to the worker: so
code that asks for thousands of megabytes at once has few of them in this process, and others go on.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec
import structlog

from agent_contracts.errors import Failure
from tool_runner.sandbox.host import HostCallFailed, HostCalls
from tool_runner.sandbox.limits import MIB
from tool_runner.sandbox.messages import ERROR, VALUE
from tool_runner.sandbox.outcome import FailureKind
from tool_runner.sandbox.turns import RunTurns

log = structlog.get_logger()

LARGEST_ANSWER = 32 * MIB
"""Bytes of JSON that code is answered; the guest must hold it twice."""
AT_ONCE = 8 * MIB
"""Bytes of answers that are under way at a time for code of all agents."""
OF_ONE_AGENT = 2 * MIB
"""Bytes of them for code of one agent. One that is larger comes alone."""
_LEAST = OF_ONE_AGENT // 64
"""Bytes that an answer counts at least: 64 calls of one agent are under way at most."""
_UNKNOWN = OF_ONE_AGENT // 8
"""Bytes that an answer is taken for where the agent got none yet under the name."""
_REMEMBERED = 1000
"""Kinds of answers (an agent's, to one name) whose size is remembered."""
_arguments = msgspec.json.Decoder(list)


@dataclass(frozen=True)
class HostCallRequest:
    """A host call of an agent's code. `quotas` is what is left of each in its run; it is counted down."""

    agent: str
    name: str
    arguments: bytes
    quotas: dict[str, int]


class HostAnswers:
    """The answers to all code that a runner runs. How large one will be is not known before; it is taken to
    be what the agent got lately under the same name."""

    def __init__(self) -> None:
        self._turns = RunTurns(AT_ONCE, OF_ONE_AGENT)
        self._usual: OrderedDict[tuple[str, str], int] = OrderedDict()

    @asynccontextmanager
    async def to(self, asked: HostCallRequest, host: HostCalls) -> AsyncIterator[tuple[int, bytes]]:
        """VALUE or ERROR, and its JSON, with a turn that lasts as long as the block."""
        if host.waits(asked.name):
            kind, value = await answer_to(host, asked.quotas, asked.name, asked.arguments)
            async with self._turns.taken(asked.agent, max(len(value), _LEAST)):
                yield kind, value
            return
        async with self._turns.taken(
            asked.agent, self._usual.get((asked.agent, asked.name), _UNKNOWN)
        ) as turn:
            kind, value = await answer_to(host, asked.quotas, asked.name, asked.arguments)
            size = max(len(value), _LEAST)
            turn.weighs(size)
            self._remember((asked.agent, asked.name), size)
            yield kind, value

    def _remember(self, of: tuple[str, str], size: int) -> None:
        """The largest counts, and is forgotten bit by bit."""
        usual = self._usual.pop(of, size)
        self._usual[of] = max(size, (7 * usual + size) // 8)
        if len(self._usual) > _REMEMBERED:
            self._usual.popitem(last=False)


async def answer_to(
    host: HostCalls, quotas: dict[str, int], name: str, arguments: bytes
) -> tuple[int, bytes]:
    """VALUE or ERROR, and its JSON. `quotas` is what is left of each; it is counted down."""
    left = quotas.get(name)
    if left is not None:
        if left <= 0:
            return _error("CallQuotaError", f"{name}: no more calls in this run", kind=FailureKind.CALL_QUOTA)
        quotas[name] = left - 1
    try:
        value = await host.call(name, _arguments.decode(arguments))
        answer = msgspec.json.encode(value)
    except HostCallFailed as error:
        return _error(error.name, error.message, code=error.code)
    except Failure as error:
        return _error("HostError", error.message, code=error.kind)
    except (msgspec.DecodeError, RecursionError):
        return _error("TypeError", f"{name}: the arguments can't be read")
    except Exception as error:
        log.error("sandbox.host_call_bug", name=name, exc_info=error)
        return _error("HostError", f"{name} failed because of a bug in it, which was logged", code="internal")
    if len(answer) > LARGEST_ANSWER:
        return _error(
            "HostError", f"{name}: the answer is more than {LARGEST_ANSWER} bytes", code="too_large"
        )
    return VALUE, answer


def _error(
    name: str, message: str, *, code: str | None = None, kind: FailureKind | None = None
) -> tuple[int, bytes]:
    told = {"name": name, "message": message, "code": code, "kind": kind and kind.value}
    return ERROR, msgspec.json.encode({key: value for key, value in told.items() if value is not None})
