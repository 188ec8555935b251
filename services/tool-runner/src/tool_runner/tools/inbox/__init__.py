"""from other services"""
