"""The hub: one question to every repository.

A repository's memories stay in its git. The hub only finds: it fetches what is shared there, keeps
it ready to be searched, and says how fresh that is. Nothing is ever written through it.
"""
