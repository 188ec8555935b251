"""`foldline doctor`."""

import asyncio
import dataclasses
import os
from functools import partial

import typer
from rich.markup import escape

from agent_contracts.errors import Failure
from agent_platform.observing.logs import configure_logging
from agent_platform.settings.loading import AllSettings
from foldline.cli.client import Gateway
from foldline.cli.output import JsonOption, console, failures_shown, print_json
from foldline.cli.watching.overview import causes_of_load, is_full, overview
from foldline.doctor import machine
from foldline.doctor.extensions import extensions
from foldline.doctor.finding import Check, Finding, Severity, findings_of, ok, warning
from foldline.doctor.model import model
from foldline.doctor.running import running
from foldline.settings import UpSettings, load
from foldline.supervisor.announcement import read_announcement

_MARKS = {Severity.OK: "[green]✓[/]", Severity.WARNING: "[yellow]![/]", Severity.PROBLEM: "[bold red]✗[/]"}


def doctor(as_json: JsonOption = False) -> None:
    """Check the installation and explain how to fix what is wrong."""
    with failures_shown():
        configure_logging("error", "console", "doctor")
        findings = asyncio.run(examine(load()))
        if as_json:
            print_json([dataclasses.asdict(finding) for finding in findings])
        else:
            for finding in findings:
                console.print(
                    f"{_MARKS[finding.verdict]} [bold]{finding.check}[/]: {escape(finding.text)}",
                    highlight=False,
                    soft_wrap=True,
                )
                if finding.to_do:
                    console.print(f"    → {escape(finding.to_do)}", highlight=False, soft_wrap=True)
        if any(finding.verdict is Severity.PROBLEM for finding in findings):
            raise typer.Exit(1)


async def examine(everything: AllSettings) -> list[Finding]:
    """All checks, in the order in which people read them."""
    settings = everything.of(UpSettings)
    checks: dict[str, Check] = {
        "versions": machine.versions,
        "settings": partial(machine.unused, everything, os.environ),
        "servers": partial(machine.servers, settings),
        "data directory": partial(machine.data_directory, settings),
        "disk": partial(machine.disk, settings),
        "fsync": partial(machine.sync, settings),
        "proxy": partial(machine.proxies, os.environ),
        "extensions": partial(asyncio.to_thread, extensions, settings.data_dir),
        "chromium": partial(machine.chromium, settings),
        "commands": partial(machine.commands, settings),
        "sandbox": partial(machine.sandbox, settings),
        "model": partial(model, settings),
        "running": partial(running, settings),
        "load": partial(asyncio.to_thread, _load, settings),
    }
    return await findings_of(checks)


def _load(settings: UpSettings) -> list[Finding]:
    """What `foldline top` finds in what models, disks, agents and people do now. That the gateway doesn't
    answer, another check says."""
    said = read_announcement(settings.data_dir)
    if said is None:
        return []
    try:
        with Gateway(said.url, said.token) as door:
            seen = overview(door, said.pid)
    except Failure:
        return []
    if is_full(seen):
        return [ok("load", "not judged while the disk is full")]
    found = [warning("load", one.what, one.to_do) for one in causes_of_load(seen)]
    return found or [ok("load", "nothing is slow, and nobody waits for long")]
