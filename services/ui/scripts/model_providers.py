"""The providers of models that the Studio offers, as JSON: those whose key is a setting."""

import json

from agent_domain.model_providers import model_providers

print(
    json.dumps(
        [
            {"id": name, "name": one.label, "model": one.model}
            for name, one in model_providers().items()
            if one.is_setting
        ]
    )
)
