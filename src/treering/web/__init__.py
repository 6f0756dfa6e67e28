"""The door for people who would rather look: the page of one repository, for this machine alone."""
