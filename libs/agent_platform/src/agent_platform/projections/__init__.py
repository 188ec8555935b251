"""Projections: tables in Postgres folded from the log, which can be built again from it at any time."""
