""".xlsx, .csv"""
