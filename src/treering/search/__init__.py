"""Search: two Whoosh indexes derived from git blobs, our own ranking over them, and meaning.

Nothing in here is true by itself: every file may be deleted at any time and is built again.
"""
