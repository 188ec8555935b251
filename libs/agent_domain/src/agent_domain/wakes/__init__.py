"""Wakes from other services: who may send them."""
