"""A service that runs alone closes in order when it is told to stop, and says why it can't run."""

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.long

_PROGRAM = """
import asyncio, gc, sys
from agent_contracts.errors import Rejected, Transient
from agent_platform.nats.rights import Rights
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.serve import serve_alone
from agent_platform.settings.shared import ServiceSettings

async def serve(settings):
    if "refuse" in sys.argv:
        raise Rejected("no server is named", kind="no_url")
    if "full" in sys.argv:
        raise Transient("no space left on device", kind="storage")
    if "count" in sys.argv:
        print(gc.get_freeze_count(), gc.get_threshold()[0], flush=True)
        return
    try:
        print("working", flush=True)
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(0)
        print("closed in order", flush=True)

sys.exit(serve_alone(ServiceDeclaration(
    name="a-service", entry="__main__:serve", settings=ServiceSettings, nats_user="a", rights=Rights()
)))
"""


def started(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith("FOLDLINE_")},
    )


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_closes_in_order(told: signal.Signals) -> None:
    with started() as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "working\n"
        process.send_signal(told)
        said, _ = process.communicate(timeout=60)
    assert (said, process.returncode) == ("closed in order\n", 0)


def test_what_it_has_loaded_is_not_looked_through_for_garbage() -> None:
    with started("count") as process:
        said, _ = process.communicate(timeout=60)
    frozen, young = map(int, said.split())
    assert frozen > 10_000
    assert young > 700


def test_what_may_pass_is_not_told_as_a_setting_that_cant_work() -> None:
    """Foldline ends where a service says that three times in a row."""
    with started("full") as process:
        _, complaint = process.communicate(timeout=60)
    assert process.returncode == os.EX_TEMPFAIL
    assert "a-service: no space left on device" in complaint


def test_what_it_lacks_is_said_in_words() -> None:
    with started("refuse") as process:
        _, complaint = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "a-service: no server is named" in complaint
