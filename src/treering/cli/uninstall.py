"""treering uninstall"""

from treering.cli.init import text

__all__ = ["text"]
