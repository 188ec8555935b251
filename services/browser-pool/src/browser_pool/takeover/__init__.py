"""A context in the hands of a person: what they see, what they do, and how it ends."""
