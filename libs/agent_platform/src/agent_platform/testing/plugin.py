"""Pytest fixtures for real servers; loaded for every test run by the root configuration."""
