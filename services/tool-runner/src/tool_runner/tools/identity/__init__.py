"""prompt, notes"""
