"""earlier sessions"""
