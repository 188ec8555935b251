"""other models"""
