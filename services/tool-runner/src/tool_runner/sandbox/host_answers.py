"""What a host call becomes for the code: a value or an exception, whatever happens on our side."""

import msgspec
import structlog

from agent_contracts.errors import Failure
from tool_runner.sandbox.host import HostCallFailed, HostCalls
from tool_runner.sandbox.limits import MIB
from tool_runner.sandbox.messages import ERROR, VALUE
from tool_runner.sandbox.outcome import FailureKind

log = structlog.get_logger()

LARGEST_ANSWER = 32 * MIB
"""Bytes of JSON that code is answered; the guest must hold it twice."""
_arguments = msgspec.json.Decoder(list)


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
