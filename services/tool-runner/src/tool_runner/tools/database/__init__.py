"""SQLite"""
