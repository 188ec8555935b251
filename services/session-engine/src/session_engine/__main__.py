"""`python -m session_engine NAME` runs one of this service's three parts on its own."""

import sys

from agent_platform.stopping import serve_alone
from session_engine.app import serve_engine
from session_engine.model_caller.app import serve_model_caller
from session_engine.projector import serve_projector

PARTS = {"engine": serve_engine, "model-caller": serve_model_caller, "projector": serve_projector}

if __name__ == "__main__":
    name = sys.argv[1] if len(sys.argv) == 2 else "engine"
    if name not in PARTS:
        sys.exit(f"choose one of {', '.join(PARTS)}")
    sys.exit(serve_alone(name, PARTS[name]))
