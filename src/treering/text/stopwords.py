"""English words that say nothing about what a memory is about.

The list holds the words questions are made of: of everything tried, dropping them was the largest
gain of lexical quality, and it halves the postings a question touches. Words like `not`, `before`,
`all`, `between` stay out of it: they tell one function or event from another, and dropping them
cost quality.
"""

_WORDS = """
    a about also am an and any are aren't as at be because been being but by can can't cannot could
    couldn't did didn't do does doesn't don't etc for from had hadn't has hasn't have haven't having
    he he's her here hers him his how how's i i'd i'll i'm i've if in into is isn't it it's its just
    let's may me might mine must my of on or our ours shall she she's should shouldn't so some such
    than that that's the their theirs them then there there's these they they'd they'll they're
    they've this to too upon us very was wasn't we we'd we'll we're we've were weren't what what's
    when when's where where's which while who who's whom whose why why's will with won't would
    wouldn't you you'd you'll you're you've your yours
"""

STOP_WORDS = frozenset(_WORDS.split())
