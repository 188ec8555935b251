"""That a file's path is taken, by which file (see `files`)."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.files import PathValue
from agent_contracts.kinds.file import FILE_WRITERS
from agent_contracts.kinds.kind import ThingKind

PATH: ThingKind[PathValue] = ThingKind(
    kind=EntityKind.PATH,
    noun="path",
    nouns="paths",
    shape=PathValue,
    writers=FILE_WRITERS,
    stays="its file takes it along",
    with_session=False,
    copied_by_probes=False,
    counted_as="files",
    shown=False,
    has_row=False,
)
