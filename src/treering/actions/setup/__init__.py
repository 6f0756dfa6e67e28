"""What `init` puts in place and `uninstall` takes back: hooks, configuration, client files."""
