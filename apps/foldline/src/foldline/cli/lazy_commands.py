"""Commands that are imported when they are asked for: `foldline send` needn't wait for what `up` runs."""

import importlib
from typing import Any

import typer
from typer.core import TyperGroup

COMMANDS = {
    "up": "up:up",
    "serve": "serve:serve",
    "streams": "streams:streams",
    "chat": "chat:chat",
    "send": "send:send",
    "answer": "answer:answer",
    "retry": "retry:retry",
    "stop": "steering:stop",
    "continue": "steering:go_on",
    "sessions": "sessions:sessions",
    "show": "show:show",
    "events": "events:events",
    "replay": "replay:replay",
    "verify": "replay:verify",
    "fork": "fork:fork",
    "rollback": "rollback:rollback",
    "restore-agent": "restore_agent:restore_agent",
    "bisect": "bisect:bisect",
    "changes": "changes:changes",
    "files": "files:files",
    "reminders": "reminders:reminders",
    "schedules": "schedules:schedules",
    "rename": "steering:rename",
    "archive": "steering:archive",
    "reopen": "steering:reopen",
    "delete": "delete:delete",
    "export": "export:export",
    "import": "export:import_",
    "backup": "backup:backup",
    "restore": "backup:restore",
    "projections": "projections:projections",
    "dlq": "dlq:dlq",
    "outcomes": "outcomes:outcomes",
    "runners": "runners:runners",
    "usage": "usage:usage",
    "costs": "costs:costs",
    "tools": "tools:tools",
    "packs": "packs:packs",
    "delegates": "delegates:delegates",
    "erase": "erase:erase",
    "approvals": "approvals:approvals",
    "policy": "approvals:policy",
    "egress": "egress:egress",
    "commands": "commands:commands",
    "inbox": "inbox:inbox",
    "wake-credentials": "wake_credentials:wake_credentials",
    "logins": "logins:logins",
    "secrets": "secrets:secrets",
    "mcp": "mcp:mcp",
    "mcp-tokens": "mcp_tokens:mcp_tokens",
    "site-logins": "site_logins:site_logins",
    "notifications": "notifications:notifications",
    "doctor": "doctor:doctor",
    "config": "config:config",
    "demo": "demo:demo",
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
