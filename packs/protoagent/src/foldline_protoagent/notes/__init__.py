"""notes that people share in tabs"""
