"""what is remembered for long, found by words"""
