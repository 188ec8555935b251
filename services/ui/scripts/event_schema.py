"""Print the JSON Schema of every event that can reach the browser, for `contracts.mjs`."""

import inspect
import json
import sys

import msgspec
from agent_contracts.log.record.codec import (EVENT_TYPES)
from agent_contracts.questions.queries import Delta
from agent_contracts.session_events.results import ModelFailure


def main() -> None:
    """One document on standard output: `events` maps wire names to definitions, `schemas` holds those."""
    wanted = [*EVENT_TYPES.values(), Delta, ModelFailure]
    refs, definitions = msgspec.json.schema_components(wanted, ref_template="#/components/schemas/{name}")
    names = [ref["$ref"].rsplit("/", 1)[1] for ref in refs]
    for definition in definitions.values():
        definition["description"] = inspect.cleandoc(definition.get("description", ""))
    events = dict(zip(EVENT_TYPES, names, strict=False))
    json.dump({"events": events, "schemas": definitions}, sys.stdout, sort_keys=True)


if __name__ == "__main__":
    main()
