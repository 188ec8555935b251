"""of this session"""
