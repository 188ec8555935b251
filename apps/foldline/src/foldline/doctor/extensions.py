"""Whether all that other distributions add can be used."""

from pathlib import Path

from agent_contracts.extensions import ExtensionFlaw, looked_over, put_aside
from agent_platform.services.discovery import discover
from agent_tools.registry import installed_packs
from foldline.doctor.finding import Finding, ok, problem, warning
from foldline.kit.checking import unreadable
from foldline.supervisor.announcement import read_announcement
from gateway.operations.open_doors import DOORS
from model_caller.limits import ModelCallLimits
from model_caller.providers.interfaces import providers
from tool_runner.tools.rendering.blocks.shapes import BLOCK_KINDS

_USED = DOORS
"""What is loaded and checked as it is imported."""


def extensions(data_dir: Path) -> Finding:
    """Judge each as `foldline check` does, and whether the Foldline of this data directory uses it."""
    providers(ModelCallLimits())
    discover()
    for name, block in BLOCK_KINDS.items():
        for flaw in unreadable([("its component", block.code, "component")] if block.code else []):
            put_aside("block", name, ExtensionFlaw(flaw))
    said = read_announcement(data_dir)
    seen = looked_over(None if said is None else frozenset(said.extensions))
    packs = installed_packs()
    wrong = [f"{one.kind} {one.name} ({one.distribution}): {one.wrong}" for one in seen if one.wrong]
    wrong += [f"pack {one.name}: {one.about.problem}" for one in packs if one.about and one.about.problem]
    if wrong:
        return problem(
            "extensions", "; ".join(wrong), "install them anew, or ask who made them; all else works"
        )
    new = [f"{one.kind} {one.name}" for one in seen if one.since_start]
    if new:
        return warning("extensions", f"{', '.join(new)}: installed, not used yet", "restart Foldline")
    names = [*(f"{one.kind} {one.name}" for one in seen), *(f"pack {one.name}" for one in packs)]
    return ok("extensions", ", ".join(names) or "none is installed")
