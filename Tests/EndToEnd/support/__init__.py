"""Code that the end-to-end tests share: the server process, clients that see every byte, keys and a browser."""
