"""A client behind nginx: lists, event streams, large batches, and the address of the client in the bounds of the API.

usage: nginx.py     (deploy/api/run starts the system; its nginx has the example of API.md as configuration)
"""

import http.client
import os
import pathlib
import secrets
import ssl
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))

from client import HOME, PATIENCE, Backend, Checks, Client, Stream, person, token  # noqa: E402

checks = Checks("nginx")
backend = Backend("/api/nginx")

TRUST = ssl.create_default_context(cafile=str(pathlib.Path(HOME, "nginx.pem")))
GUEST, STRANGER, NEIGHBOUR = "127.0.0.6", "127.0.0.7", "127.0.0.8"  # addresses of this machine that are no proxies for the API
HEARTBEAT = 15  # seconds
FAILURES = 50  # failed logins of one address at once
MOST_FAILURES = 400  # of this script: the bound has grown by five a second meanwhile
LARGE = 200_000  # bytes in an event; twelve of them are more than the 1 MiB that nginx takes by default


class ProxiedClient(Client):
    """Requests over TLS to nginx, from an address of this machine."""

    def __init__(self, credentials=None, address=GUEST):
        super().__init__(credentials)
        self.url, self.address = urllib.parse.urlsplit(os.environ["TIDINGS_PROXY_URL"]), address

    def connection(self):
        return http.client.HTTPSConnection(self.url.netloc, timeout=PATIENCE, source_address=(self.address, 0), context=TRUST)


def lists():
    ann = person("nginx-list")
    id = backend.deliver("orderUpdate", ann, title="Behind nginx")
    answer = ProxiedClient(ann.credentials).get("/api/notifications")
    checks.equal("list: an item", [item["id"] for item in answer["notifications"]], [id])
    refused = ProxiedClient().get("/api/notifications")
    checks.problem("list: without a token", refused, 401, "unauthenticated")


def streams():
    ann = person("nginx-stream")
    with Stream(ProxiedClient(ann.credentials)) as stream:
        checks.equal("stream: the type of the answer", stream.headers.get("content-type", "").split(";")[0], "text/event-stream")
        checks.true("stream: the first event comes at once", stream.next(within=HEARTBEAT / 2))
        id = backend.send("orderUpdate", ann)
        news = stream.next(where=lambda data: data["unreadCount"] == 1)
        checks.equal("stream: a new item is named", news and news["new"], [id])
        # The heartbeat keeps nginx from closing a silent connection.
        deadline, before = time.monotonic() + HEARTBEAT + PATIENCE, stream.comments
        while stream.comments == before and time.monotonic() < deadline:
            stream.event(time.monotonic() + 1)
        checks.true("stream: a heartbeat passes", stream.comments > before)


def large_batches():
    ann = person("nginx-large")
    batch = [backend.event("orderUpdate", ann, data={"note": "x" * LARGE}, channels=["inApp"]) for _ in range(12)]
    answer = ProxiedClient(backend.credentials).post("/v1/intents", batch, Content_Type="application/cloudevents-batch+json")
    checks.status("intents: a batch of 2.4 MB", answer, 202)


def addresses():
    """The API counts failed logins for the address that nginx saw, whatever the client writes."""
    head, claims, _ = token("nginx-forged").split(".")

    def forged(address, **headers):
        client = ProxiedClient(f"{head}.{claims}.{secrets.token_urlsafe(256)}", address)
        return client.request("GET", "/api/notifications", headers=headers)

    answers = []
    while len(answers) < MOST_FAILURES and (not answers or answers[-1].status == 401):
        answers.append(forged(STRANGER))
    checks.problem("failed logins: an address with too many", answers[-1], 429, "rate-limited")
    checks.true("failed logins: as many as the bound were judged", len(answers) > FAILURES, len(answers))
    checks.status("failed logins: another address", forged(NEIGHBOUR), 401)
    # The refusal came after a second, in which the address may fail a few times more. An address of its own could fail FAILURES times.
    invented = {"X-Forwarded-For": "203.0.113.9"}
    answers = [forged(STRANGER, **invented)]
    while len(answers) < FAILURES and answers[-1].status == 401:
        answers.append(forged(STRANGER, **invented))
    checks.status("failed logins: an address that the client invents", answers[-1], 429)


for part in (lists, large_batches, addresses, streams):
    with checks.part(part.__name__.replace("_", " ")):
        part()
checks.finish()
