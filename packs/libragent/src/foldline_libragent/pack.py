"""What the pack is."""

from agent_tools.pack import PackDeclaration

PACK = PackDeclaration(
    title="LibrAgent",
    purpose="Content store, workspace, planning, playbooks and browser sessions.",
)
