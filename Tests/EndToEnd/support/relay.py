"""Accepts clients in one network namespace, and connects them to a server in another namespace.

The program runs in the second namespace, with a listening socket from the first. Arguments: descriptor, host, port.
"""

import asyncio
import contextlib
import socket
import sys


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(64 << 10):
            writer.write(data)
            await writer.drain()
    writer.close()


async def main(descriptor: int, host: str, port: int) -> None:
    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            other_reader, other_writer = await asyncio.open_connection(host, port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(copy(reader, other_writer), copy(other_reader, writer))

    server = await asyncio.start_server(connect, sock=socket.socket(fileno=descriptor))
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
