"""foreign servers (MCP): their resources and prompts"""
