from sync.conftest import clone, origin  # noqa: F401  fixtures
