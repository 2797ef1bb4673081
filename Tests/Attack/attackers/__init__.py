"""Attackers, a well-behaved client, and a monitor of the server's memory."""
