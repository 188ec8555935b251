"""The shapes of what is too long to be shown whole: both ends of it, and where a model can read the rest."""

from agent_contracts.json_value import Json

_NO_FILE = "There was no room for a file with the whole."


def _note(what: str, said: str) -> Json:
    """Says that the middle is left out, and how to read on."""
    whole: list[Json] = [f"{said} The whole {what} is file ", "$excerpt.file_id", ": read on with "]
    read_on: Json = {"$text": [*whole, "file_read_text."]}
    return {"$first": [{"if": "excerpt.file_id", "then": read_on}, {"then": f"{said} {_NO_FILE}"}]}


RESULT: Json = {
    "$json": {
        "truncated": True,
        "size": "$excerpt.blob.size",
        "file_id": "$excerpt.file_id",
        "note": _note("result", "The middle of this result is left out."),
        "head": "$excerpt.head",
        "tail": "$excerpt.tail",
    }
}
"""In place of a result."""
TEXT: Json = {
    "$first": [
        {
            "if": "excerpt",
            "then": {
                "$text": [
                    "$excerpt.head",
                    "\n\n[… ",
                    _note("message", "The middle of this message is left out."),
                    " …]\n\n",
                    "$excerpt.tail",
                ]
            },
        },
        {"then": "$text"},
    ]
}
"""What a message says, or both ends of it."""
