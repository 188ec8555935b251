"""The blocks that `render_blocks` shows, as models write them."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from agent_contracts.extensions import ExtensionFlaw, loaded
from agent_tools.blocks import BlockKind, BlockShape, check_block, name_of

MOST_BLOCKS = 50
MOST_COLUMNS = 100
MOST_FIELDS = 100
MOST_OPTIONS = 500


class _Part(BaseModel):
    """Strict, as arguments are: no coercion, no unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Label = Annotated[str, Field(min_length=1, max_length=200)]


class Markdown(_Part):
    """Text."""

    type: Literal["markdown"]
    content: str


class TableBlockColumn(_Part):
    """A column: the key of its values in each row, and its heading."""

    key: Label
    label: Annotated[str, Field(max_length=200)]


class TableBlock(_Part):
    """Rows; a value that a row doesn't have is empty."""

    type: Literal["table"]
    columns: Annotated[list[TableBlockColumn], Field(min_length=1, max_length=MOST_COLUMNS)]
    data: list[dict[str, Any]]

    @model_validator(mode="before")
    @classmethod
    def _named_as_on_pages(cls, given: Any) -> Any:
        """The table of a page has `rows`: models write that here too."""
        if isinstance(given, dict) and "rows" in given and "data" not in given:
            return {"data" if name == "rows" else name: value for name, value in given.items()}
        return given


class Dataset(_Part):
    """One series: a number for each label, null where there is none."""

    label: Annotated[str, Field(max_length=200)]
    data: list[FiniteFloat | None]


class ChartData(_Part):
    """The labels of the x axis (of a pie, its slices), and the series."""

    labels: list[str | int | FiniteFloat]
    datasets: Annotated[list[Dataset], Field(min_length=1, max_length=50)]


class Chart(_Part):
    """Numbers, drawn."""

    type: Literal["chart"]
    chartType: Literal["line", "bar", "pie", "area"]
    data: ChartData


class FormBlockField(_Part):
    """One field. A select has `options`; a `default` must be an answer that the field takes."""

    name: Label
    label: Label
    type: Literal["text", "number", "select", "checkbox", "textarea", "date"]
    options: Annotated[
        list[Annotated[str, Field(min_length=1)]] | None, Field(min_length=1, max_length=MOST_OPTIONS)
    ] = None
    required: Annotated[bool, Field(description="A checkbox: it must be ticked.")] = False
    default: Annotated[Any, Field(description="A date as 2026-07-31.")] = None


class Form(_Part):
    """Fields that the person fills in."""

    type: Literal["form"]
    fields: Annotated[list[FormBlockField], Field(min_length=1, max_length=MOST_FIELDS)]
    submitLabel: Label


class Code(_Part):
    """Code in a language."""

    type: Literal["code"]
    language: Annotated[str, Field(max_length=50)]
    content: str


class ImageBlock(_Part):
    """A picture."""

    type: Literal["image"]
    url: Annotated[str, Field(min_length=1, description="file:<file_id>, data:image/…;base64,… or https://…")]
    alt: Annotated[str | None, Field(max_length=1000)] = None


class Alert(_Part):
    """A word of notice, in Markdown."""

    type: Literal["alert"]
    variant: Literal["info", "warning", "danger", "success"]
    content: str


class JsonTree(_Part):
    """Any data, to unfold."""

    type: Literal["json"]
    data: Any


_OURS: tuple[type[BaseModel], ...] = (Markdown, TableBlock, Chart, Form, Code, ImageBlock, Alert, JsonTree)


def check_new_block(name: str, kind: BlockKind) -> None:
    """Raises for one of another distribution that can't be offered."""
    if name in {"frame", *map(name_of, _OURS)}:
        raise ExtensionFlaw(f"Foldline has a block {name} itself")
    check_block(name, kind)


BLOCK_KINDS = loaded("block", BlockKind, check_new_block)
"""The blocks that other distributions add, by name."""

if TYPE_CHECKING:
    Block = Markdown | TableBlock | Chart | Form | Code | ImageBlock | Alert | JsonTree | BlockShape
else:
    _EVERY = (*_OURS, *(one.shape for one in BLOCK_KINDS.values()))
    Block = Annotated[Union[_EVERY], Field(discriminator="type")]  # noqa: UP007 — made of what is there
