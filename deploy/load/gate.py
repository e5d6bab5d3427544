"""A relay between one process and the broker, which can keep confirms back (AMQP 0-9-1, section 4.2.3)."""

import socket
import struct
import threading
import urllib.parse

METHOD, BASIC, ACK = 1, 60, 80
HEADER = struct.Struct(">BHI")
METHOD_ID = struct.Struct(">HH")


class Gate:
    """Passes every byte on. While it holds, the process does not hear that the broker has confirmed its intents."""

    def __init__(self, url):
        broker = urllib.parse.urlsplit(url)
        self.broker = broker.hostname, broker.port or 5672
        self.listener = socket.create_server(("127.0.0.1", 0))
        credentials = broker.netloc.rpartition("@")[0]
        self.url = broker._replace(netloc=f"{credentials}@127.0.0.1:{self.listener.getsockname()[1]}").geturl()
        self.is_holding, self.has_held = False, threading.Event()
        threading.Thread(target=self.accept, daemon=True).start()

    def hold(self):
        self.has_held.clear()
        self.is_holding = True

    def open(self):
        """Confirms that were held are lost: the script has killed the process meanwhile."""
        self.is_holding = False

    def accept(self):
        while True:
            process, _ = self.listener.accept()
            broker = socket.create_connection(self.broker)
            link = Link()
            for work in (self.pass_up, self.pass_down):
                threading.Thread(target=work, args=(process, broker, link), daemon=True).start()

    def pass_up(self, process, broker, link):
        """The client names its connection in one of its first frames."""
        beginning = b""
        for part in parts(process):
            if len(beginning) < 8_192 and not link.carries_intents:
                beginning += part
                link.carries_intents = b"tidings intents" in beginning
            if not send(broker, part):
                break
        close(process, broker)

    def pass_down(self, process, broker, link):
        rest = b""
        for part in parts(broker):
            frames, rest = split(rest + part)
            for frame in frames:
                if self.is_holding and link.carries_intents and is_confirm(frame):
                    self.has_held.set()
                elif not send(process, frame):
                    break
        close(process, broker)


class Link:
    """A connection of the process."""

    carries_intents = False


def split(octets):
    """The whole frames at the beginning, and the rest."""
    frames = []
    while len(octets) >= HEADER.size:
        end = HEADER.size + HEADER.unpack_from(octets)[2] + 1
        if len(octets) < end:
            break
        frames.append(octets[:end])
        octets = octets[end:]
    return frames, octets


def is_confirm(frame):
    return frame[0] == METHOD and METHOD_ID.unpack_from(frame, HEADER.size) == (BASIC, ACK)


def parts(source):
    """The bytes of a connection, until its end."""
    while True:
        try:
            part = source.recv(65_536)
        except OSError:
            return
        if not part:
            return
        yield part


def send(target, octets):
    try:
        target.sendall(octets)
    except OSError:
        return False
    return True


def close(*ends):
    for end in ends:
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        end.close()
