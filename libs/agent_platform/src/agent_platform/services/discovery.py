"""The services that are installed, by their declarations."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points

from agent_contracts.errors import Rejected
from agent_contracts.log.subjects import LOG_STREAM
from agent_platform.nats.consumer_spec import ConsumerSpec, advisory_spec
from agent_platform.nats.rights import Rights
from agent_platform.nats.users import ADMIN
from agent_platform.secrecy.failure_text import failure_of
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.settings.shared import WorkSettings

GROUP = "foldline.services"


def discover() -> Sequence[ServiceDeclaration]:
    """All services that are installed here, in the order in which they start. One that can't be loaded is
    left out: `broken` says why.

    Raises `Rejected` for two that share a name or a NATS user.
    """
    found, _ = _installed()
    for kind in ("name", "nats_user"):
        _refuse_shared(kind, [ADMIN if kind == "nats_user" else "", *(getattr(one, kind) for one in found)])
    return sorted(found, key=lambda one: (one.start, one.name))


def broken() -> Mapping[str, str]:
    """Why services that are installed here can't be loaded, by their names."""
    return _installed()[1]


def _installed() -> tuple[list[ServiceDeclaration], Mapping[str, str]]:
    found, problems = [], {}
    for point in entry_points(group=GROUP):
        try:
            found.append(_loaded(point))
        except Rejected as rejected:
            problems[point.name] = rejected.message
    return found, problems


def installed(name: str) -> ServiceDeclaration:
    """The one of this name; no other is imported. Raises `Rejected` as `discover`, and if there is none."""
    points = entry_points(group=GROUP)
    if name not in points.names:
        raise Rejected(
            f"there is no service {name!r}: choose one of {', '.join(sorted(points.names))}", kind="not_found"
        )
    return _loaded(points[name])


def service_named(name: str, services: Collection[ServiceDeclaration]) -> ServiceDeclaration:
    """The one of this name; `Rejected` that lists the names if there is none."""
    for one in services:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in services)
    raise Rejected(f"there is no service {name!r}: choose one of {names}", kind="not_found")


def rights_of(services: Iterable[ServiceDeclaration]) -> Mapping[str, Rights]:
    """What each service's NATS user may do."""
    return {one.nats_user: one.rights for one in services}


def consumers_of(
    services: Iterable[ServiceDeclaration], work: WorkSettings | None = None
) -> tuple[ConsumerSpec, ...]:
    """Every durable consumer that must exist, the listeners for exhausted messages included.

    The consumers of a service that has `WorkSettings` are as `work` says.
    """
    work = work or WorkSettings()
    own = [
        work.paced(spec) if issubclass(service.settings, WorkSettings) else spec
        for service in services
        for spec in service.consumers
    ]
    return (*own, *(advisory_spec(spec.name) for spec in own if spec.stream == LOG_STREAM))


def _loaded(point: EntryPoint) -> ServiceDeclaration:
    try:
        declaration = point.load()
    except Exception as error:  # it is whatever somebody wrote
        raise Rejected(
            f"the service {point.name!r} can't be loaded from {point.value}: {failure_of(error)}",
            kind="bad_service",
        ) from error
    if not isinstance(declaration, ServiceDeclaration):
        raise Rejected(f"{point.value} does not declare a service", kind="bad_service")
    if declaration.name != point.name:
        raise Rejected(
            f"{point.value} declares the service {declaration.name!r}, but its entry point is {point.name!r}",
            kind="bad_service",
        )
    return declaration


def _refuse_shared(kind: str, values: Sequence[str]) -> None:
    twice = sorted({value for value in values if values.count(value) > 1})
    if twice:
        raise Rejected(
            f"two services have the {kind.replace('_', ' ')} {', '.join(twice)}: rename one",
            kind="bad_service",
        )
