"""Installation by `init` and its undoing by `uninstall`: hooks, configuration, client files."""
