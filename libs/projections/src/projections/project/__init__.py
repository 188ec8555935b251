"""The tables that readers query, and how events become their rows."""
