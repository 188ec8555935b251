"""The XML in documents that somebody made: read without anything that it points to."""

import zipfile
from typing import Any

from lxml import etree

from agent_contracts.errors import Rejected


def tree_of(data: bytes, noun: str) -> Any:
    """The root. `Rejected` for what is broken, or declares a document type; `noun` is what it should be."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise Rejected(f"the {noun} is broken: {error}"[:400]) from error
    if (
        root.getroottree().docinfo.internalDTD is not None
        and root.getroottree().docinfo.internalDTD.entities()
    ):
        raise Rejected(f"the {noun} is not as a program writes it: it declares entities")
    return root


def part_of_zip(archive: zipfile.ZipFile, name: str, noun: str) -> Any:
    """The root of a part. `Rejected` for one that is missing or broken."""
    try:
        data = archive.read(name)
    except KeyError as error:
        raise Rejected(f"the {noun} is broken: it has no {name}") from error
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise Rejected(f"the {noun} is broken: {error}") from error
    return tree_of(data, noun)


def name_of(element: Any) -> str:
    """What the element is called, without its namespace."""
    return str(element.tag).rpartition("}")[2]


def attribute(element: Any, name: str) -> str | None:
    """The attribute of this name, whatever its namespace."""
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), None)


def one_line(text: str) -> str:
    """The text with single spaces."""
    return " ".join(text.split())
