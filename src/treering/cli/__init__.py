"""The door for people: parse, one action, render."""
