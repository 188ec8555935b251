"""An OpenAI-compatible HTTP server that plays scripts: the demo model, and the scripted model of the
tests."""
