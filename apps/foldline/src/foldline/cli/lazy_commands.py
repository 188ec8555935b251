"""Commands that are imported when they are asked for: `foldline send` needn't wait for what `up` runs."""

import importlib
from typing import Any

import typer
from typer.core import TyperGroup

PANELS = {
    "Start": {
        "up": "operating.up:up",
        "doctor": "operating.doctor:doctor",
        "config": "operating.config:config",
        "models": "operating.models:models",
        "demo": "operating.demo:demo",
    },
    "Talk": {
        "chat": "sessions.chat:chat",
        "send": "sessions.send:send",
        "answer": "sessions.answer:answer",
        "inbox": "sessions.inbox:inbox",
        "retry": "sessions.retry:retry",
        "stop": "sessions.steering:stop",
        "continue": "sessions.steering:go_on",
        "thinking": "sessions.steering:think",
    },
    "Look back": {
        "sessions": "sessions.sessions:sessions",
        "show": "sessions.show:show",
        "events": "sessions.events:events",
        "replay": "sessions.replay:replay",
        "verify": "sessions.replay:verify",
    },
    "Go back": {
        "fork": "sessions.fork:fork",
        "rewind": "sessions.rewind:rewind",
        "bisect": "agents.bisect:bisect",
    },
    "Trust": {
        "approvals": "sessions.approvals:approvals",
        "policy": "sessions.approvals:policy",
        "changes": "agents.changes:changes",
        "egress": "lists:egress",
        "commands": "lists:commands",
        "outcomes": "operating.outcomes:outcomes",
        "secrets": "agents.secrets:secrets",
        "logins": "operating.logins:logins",
        "site-logins": "agents.site_logins:site_logins",
        "token": "operating.token:token",
        "program-tokens": "operating.program_tokens:program_tokens",
        "chats": "operating.chats:chats",
        "wake-credentials": "operating.wake_credentials:wake_credentials",
    },
    "What an agent has": {
        "tools": "agents.tools:tools",
        "packs": "agents.packs:packs",
        "mcp": "agents.mcp:mcp",
        "delegates": "agents.delegates:delegates",
        "files": "agents.files:files",
        "schedules": "agents.schedules:schedules",
        "reminders": "agents.reminders:reminders",
        "notifications": "operating.notifications:notifications",
        "usage": "agents.usage:usage",
        "costs": "agents.costs:costs",
    },
    "Sessions": {
        "rate": "sessions.rate:rate",
        "rename": "sessions.steering:rename",
        "archive": "sessions.steering:archive",
        "reopen": "sessions.steering:reopen",
        "export": "sessions.export:export",
        "import": "sessions.export:import_",
        "delete": "sessions.delete:delete",
        "erase": "sessions.erase:erase",
    },
    "Extend": {
        "new": "operating.new_extension:new",
        "check": "operating.check:check",
    },
    "Operate": {
        "top": "operating.top:top",
        "why": "operating.why:why",
        "support": "operating.support:support",
        "serve": "operating.serve:serve",
        "streams": "operating.streams:streams",
        "runners": "operating.runners:runners",
        "processes": "operating.processes:processes",
        "adaptations": "operating.adaptations:adaptations",
        "projections": "operating.projections:projections",
        "dlq": "operating.dlq:dlq",
        "backup": "operating.backup:backup",
        "restore": "operating.backup:restore",
    },
}
"""Each command's module in `foldline.cli` and its function there, under its heading in the help, in order."""
COMMANDS = {name: where for panel in PANELS.values() for name, where in panel.items()}
_HEADINGS = {name: heading for heading, panel in PANELS.items() for name in panel}


class LazyCommands(TyperGroup):
    """The group of all commands."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One command; None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, function = COMMANDS[cmd_name].split(":")
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        panel = _HEADINGS[cmd_name]
        alone.command(cmd_name, rich_help_panel=panel)(
            getattr(importlib.import_module(f"foldline.cli.{module}"), function)
        )
        return typer.main.get_command(alone)
