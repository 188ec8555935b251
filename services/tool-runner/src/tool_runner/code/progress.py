"""How far code is, told to whoever called it."""

from agent_contracts.json_value import Json
from agent_contracts.questions.function_calls import Progress
from agent_platform.log.storable_text import storable_text
from tool_runner.sandbox.host import HostCallFailed

MOST_TOLD = 1000
"""How often one call may tell, the functions that it calls included."""
LONGEST_MESSAGE = 1000
"""Characters; the rest is cut."""


def progress_of(arguments: list[Json], told: int) -> Progress:
    """What `progress(done, total?, message?)` tells, the `told`th time. Raises HostCallFailed."""
    match arguments + [None] * (3 - len(arguments)):
        case [int() | float() as done, int() | float() | None as total, str() | None as message]:
            pass
        case _:
            wanted = "progress takes a number, and may take a total and a message"
            raise HostCallFailed(wanted, name="TypeError", code="invalid_arguments")
    if told > MOST_TOLD:
        many = f"progress: told more than {MOST_TOLD} times in one call"
        raise HostCallFailed(many, name="CallQuotaError", code="call_quota")
    words = None if message is None else storable_text(message)[:LONGEST_MESSAGE]
    return Progress(float(done), None if total is None else float(total), words)
