"""What the pack is."""

from agent_tools.pack import PackDeclaration

PACK = PackDeclaration(
    title="Wintermute",
    purpose="Shell, files, web, workers that depend on each other, reminders, memories.",
)
