"""The providers of models that the UI offers, as JSON: those that are asked with a key and nothing else. Where
that is not a setting of its own, `address` says which server the key belongs to."""

import json

from agent_domain.model_providers import model_providers

print(
    json.dumps(
        [
            {
                "id": name,
                "name": one.label,
                "model": one.model,
                "address": None if one.is_setting else one.base_url,
            }
            for name, one in model_providers().items()
            if one.keys and one.base_url and not one.own
        ]
    )
)
