"""From a line of code to the reason it is there."""
