"""asking the person"""
