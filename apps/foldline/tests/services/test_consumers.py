"""The durable consumers that the services declare."""

import pytest

from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.services.discovery import consumers_of, discover
from agent_platform.settings.shared import WorkSettings

ALL = consumers_of(discover())


@pytest.mark.parametrize("spec", ALL, ids=lambda spec: spec.name)
def test_a_consumer_has_one_filter_because_two_cost_the_server_forty_times_as_much(
    spec: ConsumerSpec,
) -> None:
    assert len(spec.subjects) == 1


def test_no_two_consumers_share_a_name() -> None:
    names = [spec.name for spec in ALL]
    assert len(names) == len(set(names))


def test_the_consumers_of_the_log_have_a_listener_for_what_they_exhausted() -> None:
    names = {spec.name for spec in ALL}
    of_the_log = {spec.name for spec in ALL if spec.stream == "LOG"}
    assert of_the_log == {
        "engine",
        "engine-rewinds",
        "model-callers",
        "runners-browser",
        "runners-mcp",
        "runners-tools",
        "runners-workspace",
        "scheduler-changes",
        "scheduler-endings",
    }
    assert names == of_the_log | {f"dead-letters-{name}" for name in of_the_log} | {
        "engine-timers",
        "model-probes",
        "scheduler-due",
        "wakes",
    }


def test_an_operator_says_how_long_work_may_go_unacknowledged_but_not_decisions() -> None:
    waits = {spec.name: spec.ack_wait_s for spec in consumers_of(discover(), WorkSettings(ack_wait=7))}
    assert (waits["model-callers"], waits["runners-tools"]) == (7, 7)
    assert (waits["engine"], waits["engine-timers"]) == (2, 5)
