"""The one way from a document's bytes to what it says, from the runner's side."""

import msgspec

from agent_platform.log.storable_text import storable_text
from agent_tools.pages.page_form import PageForm
from tool_runner.documents.documents import Documents
from tool_runner.documents.kinds import job_of
from tool_runner.documents.messages import DocumentJob


class PageOptions(msgspec.Struct, frozen=True):
    """How a page came, and how its content is wanted. `url` is what its links are relative to."""

    format: PageForm = "markdown"
    url: str = ""
    truncated: bool = False


class DocumentText(msgspec.Struct, frozen=True):
    """What a document says, and by whom. `left_out`: sentences on what is in it, but not in `content`, and
    how to see that."""

    content: str
    title: str | None = None
    byline: str | None = None
    left_out: list[str] = []


def text_job(data: bytes, content_type: str, page: PageOptions) -> DocumentJob | None:
    """The job that reads it: by its first bytes, else by its type. None for plain text and all else."""
    name = job_of(data, content_type)
    if name == "pages.page":
        charset = content_type.partition(";")[2]
        options = {"content_type": f"text/html;{charset}", **msgspec.to_builtins(page)}
        return DocumentJob(name, (data,), options)
    return DocumentJob(name, (data,)) if name is not None else None


async def document_text(documents: Documents, job: DocumentJob) -> DocumentText:
    """What the document says. `Rejected` and `Permanent` as for `Documents.run`."""
    found = msgspec.convert((await documents.run(job)).value, DocumentText)
    return msgspec.structs.replace(found, left_out=[storable_text(one) for one in found.left_out])
