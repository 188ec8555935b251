"""what time it is"""
