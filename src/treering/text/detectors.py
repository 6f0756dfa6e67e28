"""Which rules look for signs of steering and for credentials, as a number.

What was found by other rules is not what these would find: whoever keeps findings keeps this number
with them, and looks again when it has changed.
"""

DETECTORS = 2
# 1: phrases by pattern, for English and a few orders in other languages
# 2: phrases by kinds of words in fifteen languages, through markup; more kinds of credentials
