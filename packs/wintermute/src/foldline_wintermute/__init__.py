"""Wintermute's tools: shell, files, web, workers that depend on each other, reminders, memories, pulse."""
