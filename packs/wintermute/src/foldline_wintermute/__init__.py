"""Wintermute: shell, files, web, workers that depend on each other, reminders, memories."""
