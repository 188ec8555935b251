"""Test doubles, stories and worlds: for the tests of every member, in no wheel of the product."""
