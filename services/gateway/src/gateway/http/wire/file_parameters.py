"""What routes of files take."""

from typing import Annotated

from fastapi import Depends, Header, Path

from agent_contracts.api.problems import Kind
from agent_contracts.errors import Rejected
from agent_contracts.ids import check_id
from agent_domain.files.file import File
from gateway.http.wire.ranges import names
from gateway.operations.files.files import Expected


async def _file_id(
    file_id: Annotated[str, Path(description="Id of the file: `f_` and letters, digits, `_` or `-`.")],
) -> str:
    return check_id(file_id, "file id")


async def _if_match(
    if_match: Annotated[
        str | None, Header(description="only if the content's entity tag is still one of these")
    ] = None,
) -> Expected:
    def expected(file: File) -> Rejected | None:
        if if_match is None or names(if_match, entity_tag(file)):
            return None
        return Rejected(
            f"{file.path} was changed meanwhile: version {file.version} is not the one of If-Match",
            kind=Kind.PRECONDITION_FAILED,
        )

    return expected


def entity_tag(file: File) -> str:
    """The tag of a version's bytes: their SHA-256."""
    return f'"{file.blob}"'


FilePath = Annotated[str, Depends(_file_id)]
IfMatch = Annotated[Expected, Depends(_if_match)]
