"""`--replicas NAME=N`."""

import pytest

from agent_contracts import service_names
from agent_contracts.errors import Rejected
from agent_platform.services.discovery import discover
from foldline.supervisor.replicas import replicas_of


def test_each_named_service_gets_as_many_processes_as_it_says() -> None:
    assert replicas_of(["engine=2", "runner=3"], discover()) == {
        service_names.ENGINE: 2,
        service_names.RUNNER: 3,
    }


WRONG = ["runner", "runner=", "runner=0", "runner=-1", "runner=1.5", "runner=65", "=3"]


@pytest.mark.parametrize("word", WRONG)
def test_what_is_no_number_of_processes_is_refused(word: str) -> None:
    with pytest.raises(Rejected):
        replicas_of([word], discover())


def test_a_service_that_there_is_not_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(Rejected, match=r"choose one of projector, .*engine"):
        replicas_of(["cook=2"], discover())


def test_there_is_one_gateway() -> None:
    assert replicas_of(["gateway=1"], discover()) == {service_names.GATEWAY: 1}
    with pytest.raises(Rejected, match="one port"):
        replicas_of(["gateway=2"], discover())
