"""What the pack is: what models are told, which of its tools are core tools, and what comes with it."""

from agent_contracts.packs import PromptText
from agent_tools.pack import EngineTool, PackDeclaration, PackSchedule
from foldline_wintermute.core_aliases import ALIASES
from foldline_wintermute.worker_arguments import SpawnSubSession

PROMPT = """\
Your memories below are what you know of the user from earlier sessions. Write down what is worth knowing
with `append_memory`, one fact an entry; a task at night takes out what is there twice.

For work of several steps, spawn workers with `spawn_sub_session`. They begin knowing nothing: give them all
they need in `objective` and `context_blobs`. A worker that needs what others find waits for them with
`depends_on_previous`, and gets it; `wait_for_sessions` gives you what they found. Keep what is going on in
`pulse`."""

CONSOLIDATE = """\
Consolidate your memories: they stand in your system prompt. Merge entries that say the same, take out what
later ones contradict, keep every fact that is still true, in its own words where you can. Then write all of
it with `update_memories`. Change nothing else, send nothing, and ask nobody. If there is nothing to merge or
to take out, write nothing."""

SPAWN = """\
Spawn an isolated background worker for a task of several steps. Gives its id at once.

It begins with `objective` and `context_blobs` alone, waits for the sessions in `depends_on` (with
`depends_on_previous` for all that you spawned so far) and gets what they found, or how they failed. Ids that
there are not are left out, and said. Workers nest two deep."""

PACK = PackDeclaration(
    title="Wintermute",
    purpose="Shell, files, web, workers that depend on each other, reminders, memories, pulse.",
    prompt=PROMPT,
    texts=(PromptText("memories", "Your memories"),),
    aliases=ALIASES,
    engine_tools=(
        EngineTool("spawn_sub_session", "orchestration", SPAWN, SpawnSubSession, always_sent=True),
    ),
    schedules=(PackSchedule("Consolidate memories", cron="0 3 * * *", task=CONSOLIDATE),),
)
