"""the internet"""
