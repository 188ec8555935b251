"""What tools for images are called with, and what they return."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from agent_contracts.json_value import Json
from agent_domain.files.file import File
from tool_runner.agent.file_arguments import ToFile, WrittenFile, about
from tool_runner.documents.images.options import ENDINGS, Form

Pixels = Annotated[int, Field(ge=1, le=50_000, description="In pixels.")]
FromLeft = Annotated[int, Field(ge=0, description="Pixels from the left.")]
FromTop = Annotated[int, Field(ge=0, description="Pixels from the top.")]
Quality = Annotated[int, Field(ge=1, le=100, description="Of JPEG and WebP.")]


class ToImage(ToFile):
    """An image to be changed; the ending of `output_path` says in which format."""

    @model_validator(mode="after")
    def _a_known_ending(self) -> Self:
        if self.output_path is not None and form_of(self.output_path) is None:
            raise ValueError(f"output_path must end in one of {', '.join('.' + one for one in ENDINGS)}")
        return self

    @property
    def form(self) -> Form | None:
        """In which format; None for the one it has."""
        return form_of(self.output_path) if self.output_path is not None else None


class WrittenImage(WrittenFile):
    """The image's file, and its pixels."""

    width: int
    height: int


def form_of(path: str) -> Form | None:
    """The format that a path's ending names."""
    return ENDINGS.get(path.rpartition("/")[2].rpartition(".")[2].lower()) if "." in path else None


def image_of(file: File, said: Json) -> WrittenImage:
    """The file, and what the job said of it."""
    assert isinstance(said, dict)
    values: dict[str, Any] = {**about(file), **said}
    return WrittenImage(**values)
