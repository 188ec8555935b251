"""channels of Discord"""
