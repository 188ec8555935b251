"""What people may set of packs: each value fits what the pack declares."""

from collections.abc import Mapping, Sequence

import msgspec
from jsonschema import Draft202012Validator

from agent_contracts.entities.enabled_packs import MOST_PACKS, MOST_SETTINGS_BYTES, SettingsByPack
from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_contracts.nearest import nearest
from agent_contracts.packs import PackSettings
from agent_contracts.tool_spec import Catalogue
from agent_domain.packs.switched_off import unknown_tools
from gateway.operations.sessions.responses import words_of

_SHOWN = 64


def with_settings(
    given: SettingsByPack, before: SettingsByPack, packs: Mapping[str, Catalogue]
) -> SettingsByPack:
    """All settings, once those of the packs in `given` are these. `Rejected` with the path of the first that
    a pack doesn't have or take, and for more than an agent may have."""
    for name, values in given.items():
        if values != before.get(name, {}):
            _check(name, values, before.get(name, {}), packs)
    settings = {name: values for name, values in {**before, **given}.items() if values}
    if len(settings) > MOST_PACKS:
        raise _refused("", f"At most {MOST_PACKS} packs can have settings: reset those of another pack first")
    if len(msgspec.json.encode(settings)) > MOST_SETTINGS_BYTES:
        message = f"The settings of all packs may have {MOST_SETTINGS_BYTES // 1024} KiB together"
        raise Rejected(f"{message}. Nothing was changed", kind="too_large", path="/settings")
    return settings


def _check(
    name: str, values: Mapping[str, Json], before: Mapping[str, Json], packs: Mapping[str, Catalogue]
) -> None:
    path = f"/{_step(name)}"
    if name not in packs:
        near = _near(name, packs)
        raise _refused(path, f"No pack {name[:_SHOWN]!r} is installed{near}", kind="not_found")
    pack = packs[name]
    settings = pack.about.settings if pack.about is not None else None
    if settings is None:
        if values:
            raise _refused(path, f"The pack {name} has no settings")
        return
    _check_values(name, values, settings)
    for setting, pattern in unknown_tools(pack, values):
        was = before.get(setting)
        if pattern in (was if isinstance(was, list) else [was]):
            continue  # a newer pack may not have it any more
        near = _near(pattern, [tool.name for tool in pack.tools])
        raise _refused(
            f"{path}/{_step(setting)}",
            f"The pack {name} has no tool {pattern[:_SHOWN]!r}{near}. Tools that are not this pack's are "
            "forbidden by a rule of the policy",
        )


def _check_values(name: str, values: Mapping[str, Json], settings: PackSettings) -> None:
    declared = settings.schema.get("properties")
    properties = declared if isinstance(declared, dict) else {}
    for setting, value in values.items():
        path = f"/{_step(name)}/{_step(setting)}"
        schema = properties.get(setting)
        if not isinstance(schema, dict):
            near = _near(setting, properties) or f"; it has {', '.join(sorted(properties))}"
            raise _refused(
                path, f"The pack {name} has no setting {setting[:_SHOWN]!r}{near}", kind="not_found"
            )
        for error in Draft202012Validator(schema).iter_errors(value):
            raise _refused(path, f"{setting} can't be set to this: it {words_of(error)}")


def _near(name: str, known: Mapping[str, object] | Sequence[str]) -> str:
    near = nearest(name, known)
    return f"; did you mean {near}?" if near else ""


def _step(name: str) -> str:
    return name[:200].replace("~", "~0").replace("/", "~1")


def _refused(path: str, why: str, kind: str = "invalid_request") -> Rejected:
    return Rejected(f"{why}. Nothing was changed", kind=kind, path=f"/settings{path}")
