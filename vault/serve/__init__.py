"""What agents and programs are served: one set of operations, over MCP and over HTTP."""
