"""The door for agents: an MCP server over standard input and output, or HTTP."""
