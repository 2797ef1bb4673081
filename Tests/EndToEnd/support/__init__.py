"""Shared code of the end-to-end tests: the server process, clients that see every byte, keys and a browser."""
