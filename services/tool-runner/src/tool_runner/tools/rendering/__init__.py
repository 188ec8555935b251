"""what the user sees"""
