"""What an agent shows a person and waits on: the kinds of `show`, and what an answer looks like."""

RENDER_AND_WAIT = "render_and_wait"
"""A component that the agent wrote; its answer has an `action` and whatever else the component gave."""
RENDER_BLOCKS = "render_blocks"
"""Ready-made blocks; a form among them is answered by its `data`, anything may be dismissed."""
USER_INPUT = "user_input"
"""Steps of fields, one after another; answered by the values of all of them, which are the call's result."""

SUBMIT = "submit"
DISMISS = "dismiss"

ANSWER_SCHEMA = "answer_schema"
"""Of `show`: the JSON Schema of a form's data. Whoever takes an answer checks it by this one."""

LONGEST_ACTION = 200
"""Characters of an action's name."""
LARGEST_SHOWN = 256 * 1024
"""Bytes of JSON: what is put before a person, and what they answer."""
