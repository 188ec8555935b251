"""the web, as text"""
