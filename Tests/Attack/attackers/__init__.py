"""Attackers, and what runs beside them: a well-behaved client and a watch on the server's memory."""
