"""Outside: the only place that knows pygit2, starts git, or holds a lock."""
