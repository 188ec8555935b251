"""for code"""
