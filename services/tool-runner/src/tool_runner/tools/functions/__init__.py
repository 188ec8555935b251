"""for pages"""
