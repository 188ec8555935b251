"""goal, to-dos and memos of this session"""
