"""workflows that worked, to follow again"""
