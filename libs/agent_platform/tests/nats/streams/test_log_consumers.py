"""The durable consumers."""

import pytest

from agent_platform.nats.consuming.consumer import ConsumerSpec
from agent_platform.nats.log_consumers import all_consumers


@pytest.mark.parametrize("spec", all_consumers(), ids=lambda spec: spec.name)
def test_a_consumer_has_one_filter_because_two_cost_the_server_forty_times_as_much(spec: ConsumerSpec):
    assert len(spec.subjects) == 1


def test_no_two_consumers_share_a_name():
    names = [spec.name for spec in all_consumers()]
    assert len(names) == len(set(names))
