"""`foldline packs`."""

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer

from agent_contracts.api.packs import PackOfAgent, PacksOfAgent, ShownExtension
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway, gateway
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, console, done, failures_shown


class PackAction(StrEnum):
    """The action to take."""

    LIST = "list"
    ENABLE = "enable"
    DISABLE = "disable"
    ORDER = "order"
    SETTINGS = "settings"
    SET = "set"
    UNSET = "unset"


def packs(
    action: Annotated[PackAction, typer.Argument(help="The action to take.")] = PackAction.LIST,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names of packs. order: all enabled packs, the first wins. set: a pack and SETTING=VALUE …; "
            "unset: a pack and its settings."
        ),
    ] = None,
    agent: Annotated[str, typer.Option(help="The agent.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """List, enable, disable, order or configure an agent's tool packs.

    Packs are off by default. If two packs have a tool of the same name, the earlier pack's wins. Set a list
    like this:
    foldline packs set protoagent tools.disabled=calculator,beads_*
    """
    with failures_shown(), gateway() as door:
        path = f"/agents/{agent_id(door, agent)}/packs"
        found = door.read(path, PacksOfAgent)
        if action is PackAction.LIST:
            none = "No packs are installed."
            columns = ("pack", "#tools", "what holds", "what it is for")
            listed(found.packs, columns, _row, none=none, as_json=as_json)
            if found.extensions and not as_json:
                console.print()
                more = ("extension", "kind", "what holds", "installed with")
                listed(found.extensions, more, _extension_row, none="", as_json=False)
            return
        if not names:
            raise Rejected(f"Name the packs: foldline packs {action} NAME …", kind="invalid_request")
        if action in (PackAction.SETTINGS, PackAction.SET, PackAction.UNSET):
            _settings(door, path, found, action, names, as_json)
            return
        wanted = _wanted(action, names, [one.name for one in found.packs if one.enabled])
        told = door.put(path, {"packs": wanted, "version": found.version})
        enabled = [one["name"] for one in told["packs"] if one["enabled"]]
        renamed = "".join(f"\n{one['tool']} is now called {one['name']}" for one in told["renamed"])
        done(told, f"Enabled: {', '.join(enabled) or 'none'}{renamed}", as_json)


def _settings(
    door: Gateway, path: str, found: PacksOfAgent, action: PackAction, names: Sequence[str], as_json: bool
) -> None:
    """Show the settings of one pack, or change those that are named."""
    name, *rest = names
    pack = next((one for one in found.packs if one.name == name), None)
    if pack is None:
        raise Rejected(f"No pack {name!r} is installed", kind="not_found")
    fields = {field["name"]: field for field in pack.settings.fields} if pack.settings is not None else {}
    values = dict(pack.settings.values) if pack.settings is not None else {}
    if action is not PackAction.SETTINGS:
        if not rest:
            wants = "SETTING=VALUE …" if action is PackAction.SET else "SETTING …"
            raise Rejected(f"Name a setting: foldline packs {action} {name} {wants}", kind="invalid_request")
        for one in rest:
            setting, given, value = one.partition("=")
            if action is PackAction.UNSET:
                values.pop(setting, None)
            elif not given:
                raise Rejected(f"Write {setting}=VALUE", kind="invalid_request")
            else:
                values[setting] = _typed(fields.get(setting, {}).get("type"), value)
        enabled = [one.name for one in found.packs if one.enabled]
        body = {"packs": enabled, "settings": {name: values}, "version": found.version}
        told = door.put(path, body)
        done(told, f"{name}: {', '.join(_said(*one) for one in values.items()) or 'nothing is set'}", as_json)
        return
    listed(
        list(fields.values()),
        ("setting", "value", "meaning"),
        lambda field: (
            field["name"],
            json.dumps(values.get(field["name"], field["default"])),
            field["help"],
        ),
        none=f"{name} has no settings.",
        as_json=as_json,
    )


def _said(setting: str, value: Any) -> str:
    return f"{setting}={','.join(map(str, value)) if isinstance(value, list) else json.dumps(value)}"


def _typed(kind: str | None, text: str) -> Any:
    """The value that a text stands for: a list has commas, and a text needs no quotes."""
    if kind in ("lines", "many") and not text.startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    if kind in ("text", "textarea"):
        return text
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _wanted(action: PackAction, names: Sequence[str], now: Sequence[str]) -> list[str]:
    if action is PackAction.ENABLE:
        return [*now, *dict.fromkeys(name for name in names if name not in now)]
    if action is PackAction.DISABLE:
        off = next((name for name in names if name not in now), None)
        if off is not None:
            raise Rejected(f"{off} is not enabled", kind="not_found")
        return [name for name in now if name not in names]
    if sorted(names) != sorted(now):
        said = f"The enabled packs are {', '.join(now)}: name each of them once" if now else "None is enabled"
        raise Rejected(said, kind="invalid_request")
    return list(names)


def _row(pack: PackOfAgent) -> tuple[str, str, str, str]:
    if pack.problem is not None:
        holds = f"can't be used: {pack.problem}"
    elif not pack.installed:
        holds = "enabled, but not installed"
    else:
        holds = "enabled" if pack.enabled else "off"
    off = sum(tool.switched_off_by is not None for tool in pack.tools)
    if pack.enabled and off:
        holds += f"; {off} of its tools are switched off (foldline packs settings {pack.name})"
    if pack.enabled and pack.missing_secrets:
        holds += f"; needs the secret {', '.join(pack.missing_secrets)} (foldline secrets set NAME)"
    return pack.name, str(len(pack.tools)), holds, pack.purpose


def _extension_row(one: ShownExtension) -> tuple[str, str, str, str]:
    if one.problem is not None:
        holds = f"can't be used: {one.problem}"
    else:
        holds = "installed; restart Foldline to use it" if one.needs_restart else "used"
    return one.name, one.kind, holds, one.distribution
