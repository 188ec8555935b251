"""The services that are installed, by their declarations."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from agent_contracts.errors import Rejected
from agent_contracts.extensions import ExtensionFlaw, check_name, is_ours, put_aside
from agent_contracts.log.subjects import LOG_STREAM
from agent_platform.nats.consumer_spec import ConsumerSpec, advisory_spec
from agent_platform.nats.rights import Rights
from agent_platform.nats.users import ADMIN
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.settings.shared import WorkSettings

GROUP = "foldline.services"


def discover() -> Sequence[ServiceDeclaration]:
    """All services that are installed here and can be used, in the order in which they start.

    A declaration that can't be imported or is none, or that has the name or the NATS user of another, or a
    setting that another declares differently, is left out and told (`BROKEN`). Raises `Rejected` for one of
    Foldline's own.
    """
    found: list[ServiceDeclaration] = []
    for point in _ours_first():
        try:
            if not is_ours(point):
                check_name(point)
            found.append(unlike(found, _loaded(point)))
        except ExtensionFlaw as flaw:
            put_aside("service", point.name, flaw, point)
        except Rejected as refusal:
            if is_ours(point):
                raise
            put_aside("service", point.name, ExtensionFlaw(refusal.message), point)
    return sorted(found, key=lambda one: (one.start, one.name))


def installed(name: str) -> ServiceDeclaration:
    """The one of this name; no other is imported. Raises `Rejected` as `discover`, and if there is none."""
    points = _ours_first()
    for point in points:
        if point.name == name:
            return _loaded(point)
    names = ", ".join(sorted({point.name for point in points}))
    raise Rejected(f"there is no service {name!r}: choose one of {names}", kind="not_found")


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


@cache
def consumers_of_later_services() -> Mapping[str, str]:
    """Those of services that start when they are first needed, with the service."""
    later = [one for one in discover() if one.first_need is not None]
    return {consumer.name: service.name for service in later for consumer in service.consumers}


def _ours_first() -> list[EntryPoint]:
    return sorted(entry_points(group=GROUP), key=lambda one: (not is_ours(one), one.name))


def _loaded(point: EntryPoint) -> ServiceDeclaration:
    try:
        declaration = point.load()
    except (Exception, SystemExit) as error:  # it may be somebody else's code
        raise Rejected(
            f"the service {point.name!r} can't be loaded from {point.value}: {error}", kind="bad_service"
        ) from error
    if not isinstance(declaration, ServiceDeclaration):
        raise Rejected(f"{point.value} does not declare a service", kind="bad_service")
    check_service(point.name, declaration)
    return declaration


def check_service(name: str, declaration: ServiceDeclaration) -> None:
    """Raises for one that has another name than its entry point."""
    if declaration.name != name:
        raise Rejected(
            f"the service is named {declaration.name!r}, its entry point {name!r}", kind="bad_service"
        )


def unlike(others: Iterable[ServiceDeclaration], one: ServiceDeclaration) -> ServiceDeclaration:
    """The same; `Rejected` if it has what is another's: a name, a NATS user, a setting."""
    for kind in ("name", "nats_user"):
        name = getattr(one, kind)
        if name in [ADMIN if kind == "nats_user" else "", *(getattr(other, kind) for other in others)]:
            raise Rejected(
                f"two services have the {kind.replace('_', ' ')} {name}: rename one", kind="bad_service"
            )
    for other in others:
        for name, field in one.settings.model_fields.items():
            if repr(other.settings.model_fields.get(name, field)) != repr(field):
                raise Rejected(
                    f"it declares the setting {name} in another way than {other.name}: rename it, or take "
                    "both from one class",
                    kind="bad_service",
                )
    return one
