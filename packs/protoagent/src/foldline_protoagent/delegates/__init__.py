"""other agents and models that people named"""
