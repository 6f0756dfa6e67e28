"""What can be wrong with what we wrote, one module a kind of thing; `doctor` asks them all."""
