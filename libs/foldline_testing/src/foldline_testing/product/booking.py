"""A form as the agent shows it, with a field of each type."""

from typing import Any

FORM: dict[str, Any] = {
    "type": "form",
    "submitLabel": "Book",
    "fields": [
        {"name": "who", "label": "Who travels", "type": "text", "required": True},
        {"name": "nights", "label": "Nights", "type": "number", "required": True},
        {"name": "room", "label": "Room", "type": "select", "options": ["single", "double"]},
        {"name": "from", "label": "From", "type": "date"},
        {"name": "notes", "label": "Notes", "type": "textarea"},
        {"name": "agree", "label": "I agree to the terms", "type": "checkbox", "required": True},
    ],
}
