"""the user"""
