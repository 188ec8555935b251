"""read, make"""
