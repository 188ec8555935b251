"""Blocks of `render_blocks` that other distributions add: entry points of the group `foldline.blocks`."""

from typing import Any, get_args

import msgspec
from pydantic import BaseModel, ConfigDict

from agent_contracts.extensions import ExtensionFlaw
from agent_tools.schema import parameters_schema


class BlockShape(BaseModel):
    """What models write of a block: its docstring says what it shows. Strict, as arguments are. It has a
    member `type: Literal["<name of the entry point>"]`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class BlockKind(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of block."""

    shape: type[BlockShape]
    """Its fields."""
    code: str = ""
    """A React component that draws it, written as for `create_ui_component`: its fields are the props. It
    runs in the frame that pages run in, so it can do what a page of the agent can. Empty: the fields are
    shown as a table, by their titles."""

    def shown(self, block: BlockShape) -> dict[str, Any]:
        """The block as it is put before the person, and recorded."""
        fields = block.model_dump(mode="json", exclude={"type"})
        name = name_of(self.shape)
        if self.code:
            return {"type": "frame", "name": name, "code": self.code, "props": fields}
        titles = self.shape.model_json_schema()["properties"]
        rows = [{"field": titles[one]["title"], "value": value} for one, value in fields.items()]
        columns = [{"key": "field", "label": ""}, {"key": "value", "label": ""}]
        return {"type": "table", "columns": columns, "data": rows}


def name_of(shape: type[BaseModel]) -> str:
    """What stands in its `type`; empty for a model without one."""
    field = shape.model_fields.get("type")
    names = get_args(field.annotation) if field is not None else ()
    return names[0] if len(names) == 1 and isinstance(names[0], str) else ""


def check_block(name: str, kind: BlockKind) -> None:
    """Raises for one that can't be offered."""
    if not (isinstance(kind.shape, type) and issubclass(kind.shape, BlockShape)):
        raise ExtensionFlaw("its shape is no BlockShape")
    if name_of(kind.shape) != name:
        raise ExtensionFlaw(f'its shape needs a member `type: Literal["{name}"]`')
    if not (kind.shape.__doc__ or "").strip():
        raise ExtensionFlaw("its shape has no docstring: models would not know what it shows")
    parameters_schema(kind.shape)
