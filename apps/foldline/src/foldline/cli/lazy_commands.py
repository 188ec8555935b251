"""Commands that are imported when they are asked for: `foldline send` needn't wait for what `up` runs."""

import importlib
from typing import Any

import typer
from typer.core import TyperGroup

COMMANDS = {
    "up": "operating.up:up",
    "serve": "operating.serve:serve",
    "streams": "operating.streams:streams",
    "chat": "sessions.chat:chat",
    "send": "sessions.send:send",
    "answer": "sessions.answer:answer",
    "retry": "sessions.retry:retry",
    "stop": "sessions.steering:stop",
    "continue": "sessions.steering:go_on",
    "sessions": "sessions.sessions:sessions",
    "show": "sessions.show:show",
    "events": "sessions.events:events",
    "replay": "sessions.replay:replay",
    "verify": "sessions.replay:verify",
    "fork": "sessions.fork:fork",
    "rollback": "sessions.rollback:rollback",
    "restore-agent": "agents.restore_agent:restore_agent",
    "bisect": "agents.bisect:bisect",
    "changes": "agents.changes:changes",
    "files": "agents.files:files",
    "reminders": "agents.reminders:reminders",
    "schedules": "agents.schedules:schedules",
    "rename": "sessions.steering:rename",
    "archive": "sessions.steering:archive",
    "reopen": "sessions.steering:reopen",
    "delete": "sessions.delete:delete",
    "export": "sessions.export:export",
    "import": "sessions.export:import_",
    "backup": "operating.backup:backup",
    "restore": "operating.backup:restore",
    "projections": "operating.projections:projections",
    "dlq": "operating.dlq:dlq",
    "outcomes": "operating.outcomes:outcomes",
    "runners": "operating.runners:runners",
    "usage": "agents.usage:usage",
    "costs": "agents.costs:costs",
    "tools": "agents.tools:tools",
    "packs": "agents.packs:packs",
    "delegates": "agents.delegates:delegates",
    "erase": "sessions.erase:erase",
    "approvals": "sessions.approvals:approvals",
    "policy": "sessions.approvals:policy",
    "egress": "agents.egress:egress",
    "commands": "agents.commands:commands",
    "inbox": "sessions.inbox:inbox",
    "wake-credentials": "operating.wake_credentials:wake_credentials",
    "logins": "operating.logins:logins",
    "secrets": "agents.secrets:secrets",
    "mcp": "agents.mcp:mcp",
    "mcp-tokens": "agents.mcp_tokens:mcp_tokens",
    "site-logins": "agents.site_logins:site_logins",
    "notifications": "operating.notifications:notifications",
    "doctor": "operating.doctor:doctor",
    "config": "operating.config:config",
    "demo": "operating.demo:demo",
}
"""Each command's module in `foldline.cli` and its function there, in the order of the help."""


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
        alone.command(cmd_name)(getattr(importlib.import_module(f"foldline.cli.{module}"), function))
        return typer.main.get_command(alone)
