"""what stands on GitHub"""
