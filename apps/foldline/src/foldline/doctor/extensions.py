"""Whether all that other distributions add can be used."""

from agent_contracts.channels.registry import CHANNEL_KINDS
from agent_contracts.extensions import looked_over, named, put_aside
from agent_platform.services.discovery import discover
from agent_tools.registry import installed_packs
from foldline.doctor.finding import Finding, ok, problem
from gateway.operations.open_doors import DOORS
from model_caller.limits import ModelCallLimits
from model_caller.providers.interfaces import providers
from tool_runner.tools.rendering.blocks.shapes import BLOCK_KINDS

_USED = (CHANNEL_KINDS, DOORS, BLOCK_KINDS)
"""What is loaded and checked as it is imported."""


def extensions() -> Finding:
    """Load each, with what it names by text: a channel's sender, a provider's interface, a service's
    entry."""
    providers(ModelCallLimits())
    for kind, channel in CHANNEL_KINDS.items():
        _try("channel", kind, channel.sender)
    for service in discover():
        if not service.is_ours:
            _try("service", service.name, service.entry)
    seen = looked_over()
    packs = installed_packs()
    wrong = [f"{one.kind} {one.name} ({one.distribution}): {one.wrong}" for one in seen if one.wrong]
    wrong += [f"pack {one.name}: {one.about.problem}" for one in packs if one.about and one.about.problem]
    if wrong:
        return problem(
            "extensions", "; ".join(wrong), "install them anew, or ask who made them; all else works"
        )
    names = [*(f"{one.kind} {one.name}" for one in seen), *(f"pack {one.name}" for one in packs)]
    return ok("extensions", ", ".join(names) or "none is installed")


def _try(kind: str, name: str, reference: str) -> None:
    if not reference:
        return
    try:
        named(reference)
    except (Exception, SystemExit) as error:  # it is somebody else's code
        put_aside(kind, name, error)
