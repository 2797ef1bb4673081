"""What the end-to-end tests share: the server as a process, clients that see every byte, keys, a browser."""
