"""What a pack's package declares of the pack, as the catalogue tells it."""

import importlib.util
import inspect
from importlib import resources
from types import ModuleType

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.packs import BroughtThing, PackAbout, PackSettings
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_domain.starters import definitions_in
from agent_tools.broken_tools import BrokenTools
from agent_tools.forms import fields_of
from agent_tools.pack import PackDeclaration, PackSchedule
from agent_tools.schema import parameters_schema

_MODULE = "pack"


def declaration_in(package: ModuleType, pack: str) -> PackDeclaration:
    """What the package declares of the pack; if it does not, what its docstring says. Raises BrokenTools."""
    name = f"{package.__name__}.{_MODULE}"
    if not hasattr(package, "__path__") or importlib.util.find_spec(name) is None:
        said = (inspect.getdoc(package) or "").partition("\n")[0]
        return PackDeclaration(pack, said)
    try:
        declared = importlib.import_module(name).PACK
    except Exception as error:
        raise BrokenTools(f"{name} can't be imported: {type(error).__name__}: {error}") from error
    if not isinstance(declared, PackDeclaration):
        raise BrokenTools(f"{name}.PACK is no PackDeclaration")
    return declared


def about_of(pack: str, package: ModuleType, declared: PackDeclaration) -> PackAbout:
    """What people and models are told of the pack, and what it brings. Raises BrokenTools."""
    brings = [_schedule(pack, one) for one in declared.schedules]
    try:
        root = resources.files(package).joinpath("brings")
        if root.is_dir():
            brings += [BroughtThing(one.kind.value, one.name, one.value) for one in definitions_in(root)]
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise BrokenTools(f"what {pack} brings can't be read: {error}") from error
    return PackAbout(
        declared.title,
        declared.purpose,
        declared.prompt,
        declared.texts,
        tuple(brings),
        settings=_settings(pack, declared),
    )


def engine_specs(pack: str, declared: PackDeclaration) -> tuple[ToolSpec, ...]:
    """The tools that the engine answers."""
    return tuple(
        ToolSpec(
            name=one.name,
            description=one.description,
            parameters=parameters_schema(one.arguments),
            family=one.family,
            effect=Effect.RECORDED,
            runs_on=RunsOn.ENGINE,
            pauses=one.pauses,
            always_sent=one.always_sent,
            pack=pack,
            stands_in=one.stands_in,
        )
        for one in declared.engine_tools
    )


def _settings(pack: str, declared: PackDeclaration) -> PackSettings | None:
    """What people may set of the pack. Raises BrokenTools for a setting that no form can ask for, one without
    a default, and a switch that is not a setting."""
    if declared.settings is None:
        if declared.switches:
            raise BrokenTools(f"{pack} has switches, but no settings")
        return None
    try:
        fields = fields_of(parameters_schema(declared.settings), "/settings")
    except (Rejected, ValueError) as error:
        raise BrokenTools(f"the settings of {pack} can't be asked for: {error}") from error
    names = {field.name for field in fields}
    for field in fields:
        if field.required or "default" not in field.schema:
            raise BrokenTools(f"the setting {field.name!r} of {pack} has no default")
    for switch in declared.switches:
        if switch.setting not in names:
            raise BrokenTools(f"{pack} has a switch {switch.setting!r}, which is not one of its settings")
    schema = {
        "type": "object",
        "properties": {field.name: field.schema for field in fields},
        "additionalProperties": False,
    }
    return PackSettings(schema, tuple(field.shown for field in fields), declared.switches)


def _schedule(pack: str, one: PackSchedule) -> BroughtThing:
    value = {"name": one.name, "task": one.task, "cron": one.cron, "overlap": one.overlap}
    return BroughtThing(EntityKind.SCHEDULE.value, f"t_{pack}_{one.name.replace(' ', '_').lower()}", value)
