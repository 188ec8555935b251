"""The ports that a tool may ask for by type. A runner says how each is built; tests put fakes in their place.

Besides these: `CallContext` (which call it is), the platform's `Blobs` and `Clock`, and what a runner offers
of its own. Reads of an agent's things are strong: they see every write that was acknowledged before, whoever
made it. A write raises `Transient` where too many others write the same thing at the same time.
"""
