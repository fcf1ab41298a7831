"""A reconnecting WebSocket client with the standard library alone: python3 client.py ws://127.0.0.1:9080/

Full jitter, as client.mjs has it.
"""

import base64
import os
import random
import socket
import sys
import time
from urllib.parse import urlsplit

uri = urlsplit(sys.argv[1] if len(sys.argv) > 1 else os.environ["STORMLINT_URI"])


def session():
    """Connects and stays until the session ends; whether there was one."""
    with socket.create_connection((uri.hostname, uri.port), timeout=10) as s:
        key = base64.b64encode(os.urandom(16)).decode()
        s.sendall(
            f"GET {uri.path} HTTP/1.1\r\nHost: {uri.netloc}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        if not s.recv(4096).startswith(b"HTTP/1.1 101 "):
            return False
        s.settimeout(None)
        while s.recv(4096):  # what the server says is nothing to this client
            pass
        return True


failures = 0
while True:
    try:
        if session():
            failures = 0
    except OSError:
        pass
    time.sleep(random.random() * min(30, 2**failures))
    failures += 1
