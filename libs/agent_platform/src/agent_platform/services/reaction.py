"""A service that reacts to what happens, as it declares itself. `reacting.py` beside this runs it."""

from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.log.subjects import ALL_SESSIONS
from agent_contracts.wakes import check_source
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.rights import Rights, works_on
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.settings.shared import ServiceSettings


def reacting_service(
    name: str,
    entry: str,
    *,
    settings: type[ServiceSettings] = ServiceSettings,
    hears: str = ALL_SESSIONS,
    may: tuple[ProgramRight, ...] = (),
) -> ServiceDeclaration:
    """A service of this `name` (a-z, 0-9 and -) that hears what is recorded on the subjects `hears`: of all
    sessions, unless it says otherwise (`agent_contracts/log/subjects.py`).

    It has a durable consumer and a NATS user of its own. It may read the log, and wake sessions once a person
    lets it: `foldline wake-credentials create NAME`. It may write nothing else.

    With `ApiSettings` it can ask the API, for what it `may` do there and no more: Foldline gives it a token
    of its own at each start.
    """
    check_source(name)
    return ServiceDeclaration(
        name=name,
        entry=entry,
        settings=settings,
        nats_user=name,
        rights=Rights(publish=(*works_on(name), f"wake.{name}.>")),
        consumers=(ConsumerSpec(name, (hears,), max_deliver=20, parallel=8),),
        may=may,
    )
