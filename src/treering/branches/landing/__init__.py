"""Judgement of whether a branch's code has landed."""
