"""Descriptions of fields that mean the same in several structs, by the field's name."""

from collections.abc import Mapping

FIELD_WORDS: Mapping[str, str] = {
    "agent_id": "Id of the agent that this belongs to. Read it at `GET /agents/{agent_id}`.",
    "arguments": "The arguments of the call, by their names.",
    "blob": "SHA-256 of the bytes, in hex.",
    "bytes_in": "Bytes of the answer's headers and body, without TLS.",
    "bytes_out": "Bytes of the request's headers and body, without TLS.",
    "call_id": "Id of the tool or model call, unique within its session.",
    "command": "The beginning of the command's text.",
    "command_id": "Id of the command.",
    "cost_micros": "Cost in millionths of a US dollar. Null: no price is known.",
    "created_at": "When it was created.",
    "deleted": "Whether it was deleted.",
    "depth": "How many sessions are above this one; 0: it isn't a sub-session.",
    "duration_ms": "How long it took, in milliseconds.",
    "ending": (
        "How the command ended: by itself (`exited`), because a call stopped it (`stopped`), or because it "
        "used too much (`timed_out`, `output`, `memory`, `disk`). `lost`: unknown. `running`: not yet."
    ),
    "exit_code": "The exit code; null: it has not ended by itself.",
    "failed_turn": "Why the last turn of an idle session failed; null: it didn't.",
    "file_id": "Id of the file. Read it at `GET /agents/{agent_id}/files/{file_id}`.",
    "host": "The host that the request was for.",
    "language": "What the command is written in.",
    "last_sequence": "Number of the session's last event that this includes.",
    "media_type": "The media type, such as `text/markdown`.",
    "method": "The HTTP method.",
    "model": "The model, as `provider/model`.",
    "more_files": "Number of files that are not listed.",
    "parent_id": "Id of the session that started this one as a sub-session; null: none did.",
    "path": "Path of the file in the workspace, such as `notes/todo.md`.",
    "programs": "Names of the programs that were seen to run.",
    "retryable": "Whether trying again later may help.",
    "runner": "Name of the worker that ran it.",
    "saw_all": "False: the system couldn't tell all files that were opened.",
    "secrets": "Names of the secrets whose values the request held.",
    "session_id": "Id of the session that this belongs to. Read it at `GET /sessions/{session_id}`.",
    "sha256": "SHA-256 of the bytes, in hex.",
    "size": "Size in bytes.",
    "thinking": "How hard the model thinks before it answers. Null: as settings say.",
    "title": "The session's title; null: it has none yet.",
    "token_limit": "Tokens that the session may use in all.",
    "tokens": "Tokens that count toward limits and budgets: input plus output.",
    "tool": "The tool's name.",
    "total": "Number of entries in the whole list.",
    "touch": "What happened to the file; `opened`: it was read and is unchanged.",
    "updated_at": "When it last changed.",
    "usage": "Tokens and cost of the model calls.",
}
"""By name: a field's own description, right below it in its struct, comes before this."""
