"""LibrAgent: content store, workspace, planning, playbooks and browser sessions."""
