"""How much of its agent's prompt and tools a sub-session is given."""

from typing import Literal

PromptMode = Literal["minimal", "full", "base_only", "none"]
"""`full`: all, as any session. `minimal`: the prompt without notes, skills, pages and what packs' tools wrote
down; `base_only`: the prompt's own text alone; `none`: no prompt. In these three, of the tools those for
workers (`ToolSpec.for_workers`)."""
