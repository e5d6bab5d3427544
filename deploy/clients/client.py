"""The side of an app and of its backend: HTTP with the standard library, a reader of the event stream, and checks with one line each."""

import contextlib
import datetime
import functools
import http.client
import json
import os
import pathlib
import re
import secrets
import socket
import subprocess
import time
import urllib.parse

import signer

HOME = os.environ.get("TIDINGS_HOME", ".tidings")
TIDINGS = os.environ.get("TIDINGS_BINARY", ".build/debug/tidings")
LOGIN = pathlib.Path(HOME, "login-key.json")  # the key of the login service, unless `tidings dev` has one of its own
PATIENCE = 30  # seconds: the longest time from an intent to its inbox entry on a busy machine
RUN = secrets.token_hex(4)  # part of the name of every person, so that a script can run again on the same data

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
ID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
UNKNOWN_ID = "01a211a4-318c-7610-a6e0-000000000000"


def settings():
    """The addresses and the key that `tidings dev` wrote."""
    lines = pathlib.Path(HOME, "env").read_text().splitlines()
    return os.environ | dict(line.split("=", 1) for line in lines if line.startswith("TIDINGS_"))


class Answer:
    """A status, headers by their lower-case names, and a body."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.bytes = status, headers, body

    @classmethod
    def of(cls, response):
        return cls(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())

    @property
    def json(self):
        return json.loads(self.bytes)

    def __getitem__(self, name):
        members = self.json
        if name not in members:
            raise AssertionError(f"the answer has no member {name}: {self}")
        return members[name]

    def __str__(self):
        return f"{self.status} {self.bytes[:200].decode(errors='replace')}"


class Client:
    """Requests with one token or key. Every answer must have a request id."""

    def __init__(self, credentials=None):
        self.url = urllib.parse.urlsplit(settings()["TIDINGS_API_URL"])
        self.credentials = credentials

    def request(self, method, path, body=None, query=None, headers=None):
        headers = self.headers(headers)
        if isinstance(body, (dict, list)):
            headers.setdefault("Content-Type", "application/json")
            body = json.dumps(body).encode()
        if query:
            path += "?" + urllib.parse.urlencode(query)
        answer = self.exchange(method, path, body, headers)
        if not answer.headers.get("x-request-id"):
            raise AssertionError(f"{method} {path}: the answer has no X-Request-Id")
        return answer

    def exchange(self, method, path, body, headers):
        """Sends a request over a connection of its own, and reads the whole answer."""
        with contextlib.closing(self.connection()) as connection:
            connection.request(method, path, body, headers)
            return Answer.of(connection.getresponse())

    def get(self, path, **query):
        return self.request("GET", path, query=query)

    def post(self, path, body=None, **headers):
        return self.request("POST", path, body, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def put(self, path, body):
        return self.request("PUT", path, body)

    def patch(self, path, body=None, **query):
        return self.request("PATCH", path, body, query)

    def delete(self, path, **query):
        return self.request("DELETE", path, query=query)

    def connection(self):
        kind = http.client.HTTPSConnection if self.url.scheme == "https" else http.client.HTTPConnection
        return kind(self.url.netloc, timeout=PATIENCE)

    def headers(self, more=None):
        credentials = {"Authorization": f"Bearer {self.credentials}"} if self.credentials else {}
        return credentials | (more or {})


class Stream:
    """The event stream of a person (HTML standard, section 9.2)."""

    def __init__(self, client, last_event_id=None):
        more = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last_event_id} if last_event_id else {})
        self.connection = client.connection()
        self.connection.request("GET", "/api/notifications/stream", headers=client.headers(more))
        self.socket = self.connection.sock  # the connection forgets it when the answer begins
        self.response = self.connection.getresponse()
        self.headers = {name.lower(): value for name, value in self.response.getheaders()}
        self.comments = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def end(self):
        """Ends the stream at this side. Another thread that reads it sees its end."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the server has ended the stream before

    def next(self, name="inbox", where=lambda data: True, within=PATIENCE):
        """Returns the data of the next event with this name that fulfils the condition. None if none comes in time."""
        deadline = time.monotonic() + within
        while time.monotonic() < deadline:
            event = self.event(deadline)
            if event is None:
                return None
            if event["event"] == name and where(event["data"]):
                return event["data"] | {"lastEventId": event["id"]}
        return None

    def event(self, deadline):
        """The next event as a dictionary of its fields. None after the deadline, and at the end of the stream."""
        fields = {"event": "message", "id": None, "retry": None, "data": ""}
        # A heartbeat is a line too, so a silent stream passes here every 15 s.
        while time.monotonic() < deadline:
            try:
                line = self.response.readline().decode()
            except (socket.timeout, TimeoutError):
                return None
            if not line:
                return None
            line = line.rstrip("\r\n")
            if not line:
                if fields["data"]:
                    return fields | {"data": json.loads(fields["data"])}
                continue
            if line.startswith(":"):
                self.comments += 1
                continue
            field, _, value = line.partition(":")
            fields[field] = value.removeprefix(" ")
        return None


def person(name, tenant="default"):
    """A person of this run, with a token: the client of the person's app."""
    recipient = f"{name}-{RUN}"
    client = Client(token(recipient, tenant))
    client.recipient = recipient
    return client


def token(recipient, tenant="default"):
    """A token of a person for one hour."""
    if LOGIN.exists():
        return login().token(recipient, tenant, seconds=3_600)
    command = [TIDINGS, "token", recipient, "--tenant", tenant, "--home", HOME]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


@functools.cache
def login():
    """The login service of the app."""
    return signer.SigningKey.read(LOGIN)


def tidings(*arguments):
    """Runs a command as an operator does."""
    done = subprocess.run([TIDINGS, *arguments], env=settings(), capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"tidings {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout


class Backend(Client):
    """The producer: sends intents with the key of `tidings dev` and asks what became of them."""

    def __init__(self, source):
        super().__init__(settings()["TIDINGS_API_KEY"])
        self.source = source

    def event(self, type, to, title="Title", **members):
        """A CloudEvents event. Members that are None are left out."""
        request = {"recipient": to.recipient if isinstance(to, Client) else to, "title": title} | members
        return {
            "specversion": "1.0", "id": f"{type}-{secrets.token_hex(8)}", "source": self.source, "type": type,
            "data": {name: value for name, value in request.items() if value is not None},
        }

    def send(self, type, to, title="Title", **members):
        """Sends one intent and returns the id of its notification."""
        answer = self.publish(self.event(type, to, title, **members))
        if answer.status != 202:
            raise AssertionError(f"{type}: {answer}")
        return answer["notifications"][0]["id"]

    def publish(self, event, **headers):
        return self.post("/v1/intents", event, Content_Type="application/cloudevents+json", **headers)

    def deliveries(self, id):
        """The deliveries of a notification by channel, as soon as a router has decided it."""
        rows = eventually(lambda: self.get(f"/v1/notifications/{id}")["deliveries"])
        return {row["channel"]: (row["state"], row["reason_code"]) for row in rows or []}

    def settled(self, id, **expected):
        """The deliveries, as soon as each named channel has the state and reason that is expected of it."""
        fits = lambda found: all(found.get(channel) == outcome for channel, outcome in expected.items())
        return eventually(lambda: self.deliveries(id), fits)

    def deliver(self, type, to, title="Title", **members):
        """Sends one intent, waits for its inbox entry, and returns the id."""
        id = self.send(type, to, title, **members)
        if eventually(lambda: to.get(f"/api/notifications/{id}").status, lambda status: status == 200) != 200:
            raise AssertionError(f"{type} for {to.recipient} is not in the inbox: {self.get(f'/v1/notifications/{id}')}")
        return id


def pushes(device_token, fits=bool):
    """The pushes that the stand-in for Apple got for a device, as (headers, payload), as soon as they fit."""
    return eventually(lambda: captured(f"/3/device/{device_token}"), fits)


def captured(path):
    lines = pathlib.Path(os.environ["TIDINGS_CAPTURED"]).read_text().splitlines()
    requests = [json.loads(line) for line in lines if path in line]
    return [(request["headers"], json.loads(request["body"])) for request in requests if request["path"] == path]


def eventually(question, fits=bool, within=PATIENCE):
    """Asks again until the answer fits. Returns the last answer."""
    deadline = time.monotonic() + within
    while True:
        answer = question()
        if fits(answer) or time.monotonic() > deadline:
            return answer
        time.sleep(0.05)


def seconds_from_now(seconds):
    """A time in RFC 3339."""
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)).isoformat(timespec="seconds")


class Checks:
    """Prints a line for each check, and counts."""

    def __init__(self, section):
        self.section, self.passed, self.failed = section, 0, 0

    def equal(self, what, is_, should):
        self.note(what, is_ == should, f"is {shown(is_)}, should be {shown(should)}")

    def matches(self, what, text, pattern):
        self.note(what, isinstance(text, str) and re.fullmatch(pattern, text) is not None, f"is {shown(text)}, should match {pattern}")

    def true(self, what, condition, detail=""):
        self.note(what, bool(condition), detail)

    def status(self, what, answer, should):
        self.note(what, answer.status == should, f"is {answer}, should be {should}")

    def problem(self, what, answer, status, word, place=None):
        """A refusal is a problem document with a stable type. If a place is given, an error of the document names it."""
        self.status(what, answer, status)
        is_document = answer.headers.get("content-type", "").startswith("application/problem+json")
        document = answer.json if is_document else {}
        self.equal(f"{what}: the type of the problem", document.get("type"), f"urn:tidings:problem:{word}")
        self.true(f"{what}: a title that a person understands", document.get("title"))
        if place:
            places = [error.get("pointer") or error.get("parameter") for error in document.get("errors", [])]
            self.true(f"{what}: the place is {place}", place in places, f"is {places}")

    def members(self, what, object_, names):
        self.equal(f"{what}: the members", sorted(object_), sorted(names))

    def note(self, what, passes, detail):
        self.passed, self.failed = self.passed + passes, self.failed + (not passes)
        print(f"{'ok  ' if passes else 'FAIL'} {self.section}  {what}{'' if passes else f': {detail}'}", flush=True)

    @contextlib.contextmanager
    def part(self, name):
        """A part of a section. An error in it is a failed check, and the other parts still run."""
        try:
            yield
        except Exception as error:
            self.note(name, False, f"{type(error).__name__}: {error}")

    def finish(self):
        print(f"==== {self.section}: {self.passed} checks passed, {self.failed} failed", flush=True)
        raise SystemExit(1 if self.failed else 0)


def shown(value):
    text = json.dumps(value, default=str)
    return text if len(text) <= 300 else text[:300] + "…"
