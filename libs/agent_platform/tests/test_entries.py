"""What a service's entry must name, said in one sentence where it doesn't."""

import pytest

from agent_contracts.errors import Rejected
from agent_platform.nats.rights import Rights
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.settings.shared import ServiceSettings


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("json:nothing_like_it", "names no function: write MODULE:FUNCTION"),
        ("json", "names no function: write MODULE:FUNCTION"),
        ("no_module_like_it.app:serve", "names the module no_module_like_it, which doesn't exist"),
    ],
)
def test_an_entry_that_names_no_function_is_told_in_a_sentence(entry: str, said: str) -> None:
    service = ServiceDeclaration(
        name="clock", entry=entry, settings=ServiceSettings, nats_user="clock", rights=Rights()
    )
    with pytest.raises(Rejected, match=said):
        service.load()
