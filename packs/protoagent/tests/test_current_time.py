"""`current_time`: two lines, of the time at which the call was asked for."""

from datetime import datetime, timedelta

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.log.record.records import decode
from agent_tools.running.call import call_from
from foldline_testing.agent_tools.called import Called
from foldline_testing.agent_tools.world import delivery


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo"])
async def test_the_time_is_told_in_iso_and_in_words(called: Called, zone: str) -> None:
    iso, human = (await called.text("current_time", timezone=zone)).split("\n")
    time, _, named = iso.partition(" ")
    assert named == f"({zone})"
    moment = datetime.fromisoformat(time)
    assert human.startswith(f"Human: {moment:%A, %B %d %Y, %H:%M:%S} ")


async def test_without_a_zone_it_is_utc(called: Called) -> None:
    assert (await called.text("current_time")).split("\n")[0].endswith("+00:00 (UTC)")


async def test_it_is_the_time_of_the_request_however_late_a_runner_comes(called: Called) -> None:
    world = called.world
    message = await world.request("current_time", {})
    asked_at = call_from(decode(message)).requested_at
    world.clock.ahead += timedelta(hours=5)
    await world.runner().handle(delivery(message, 2))
    assert (await world.ended()).result.startswith(asked_at.isoformat())


@pytest.mark.parametrize("zone", ["Not/A_Zone", "../../etc/passwd", "America", "", "x" * 5_000, "\0"])
async def test_a_zone_that_there_is_not_is_an_error(called: Called, zone: str) -> None:
    kind, message, path = await called.error("current_time", timezone=zone)
    assert (kind, path) == (ErrorKind.INVALID_ARGUMENTS, "/timezone")
    assert message.startswith("Error: unknown timezone '")
    assert len(message) < 400
