"""What can be looked at, one module a view."""
