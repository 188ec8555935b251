"""what other systems left"""
