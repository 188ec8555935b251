"""Runs JavaScript that agents wrote, in WebAssembly, in worker processes. `sandbox.Sandbox` is the way in."""
