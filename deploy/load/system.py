"""Private servers and the roles on them. Each role is a process of its own, which a script can stop, kill, start again and measure.

The variables TIDINGS_HOME and TIDINGS_BINARY name the folder of the servers and the binary. deploy/load/run sets them.
"""

import contextlib
import http.client
import math
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))

import signer  # noqa: E402
from client import HOME, PATIENCE, TIDINGS, Answer, Checks, Client, login, settings  # noqa: E402

START_LIMIT = 150  # seconds; two servers start in 5 s on 2 idle cores
STOP_LIMIT = 40  # seconds; a role finishes its work within 25 s
KEYS = pathlib.Path(HOME, "token-keys.json")


class Process:
    """A program with a log of its own under the home."""

    def __init__(self, name, *arguments, program=TIDINGS, **variables):
        self.name, self.arguments, self.variables = name, [program, *arguments], variables
        self.log = pathlib.Path(HOME, f"{name}.log")
        self.child = None

    def start(self):
        descriptor = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)  # a log may name people
        try:
            # A session of its own: Ctrl-C reaches this script alone, which then stops everything in order.
            self.child = subprocess.Popen(
                self.arguments, env=os.environ | self.variables, stdin=subprocess.DEVNULL, stdout=descriptor, stderr=descriptor,
                start_new_session=True)
        finally:
            os.close(descriptor)
        return self

    @property
    def id(self):
        return self.child.pid

    @property
    def is_running(self):
        return self.child is not None and self.child.poll() is None

    def signal(self, number):
        if self.is_running:
            self.child.send_signal(number)

    def stop(self):
        """Asks the process to stop, and waits until it has ended."""
        self.signal(signal.SIGTERM)
        self.end()

    def kill(self):
        """Ends the process without a word to anybody."""
        self.signal(signal.SIGKILL)
        self.end()

    def end(self):
        if self.child is None:
            return
        try:
            self.child.wait(STOP_LIMIT)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()

    def memory(self):
        """Resident bytes: now, and the most since forget_peak."""
        lines = pathlib.Path(f"/proc/{self.id}/status").read_text().splitlines()
        members = dict(line.split(":", 1) for line in lines)
        return tuple(int(members[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM"))

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.id}/clear_refs").write_text("5")


class Role(Process):
    """A role of Tidings. It keeps its addresses when it starts again."""

    def __init__(self, name, *arguments, **variables):
        self.metrics_address = f"127.0.0.1:{free_port()}"
        super().__init__(name, "run", *arguments, **{"TIDINGS_API_LISTEN": "", "TIDINGS_METRICS_LISTEN": self.metrics_address} | variables)

    def start(self):
        super().start()
        deadline = time.monotonic() + START_LIMIT
        while True:
            with contextlib.suppress(OSError):
                if self.is_ready():
                    return self
            if not self.is_running or time.monotonic() > deadline:
                raise SystemExit(f"{self.name} did not start: {last_line(self.log)}\n    fix: see {self.log}")
            time.sleep(0.05)

    def is_ready(self):
        return self.ask("/health/ready").status == 200

    def ask(self, path, address=None):
        with contextlib.closing(http.client.HTTPConnection(address or self.metrics_address, timeout=PATIENCE)) as connection:
            connection.request("GET", path)
            return Answer.of(connection.getresponse())

    def metric(self, name):
        """The sum of a metric over its labels."""
        lines = self.ask("/metrics").bytes.decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.split("{")[0].split(" ")[0] == name)


class API(Role):
    """A process of the role api, with its settings for production."""

    def __init__(self, name="api", **variables):
        self.address = f"127.0.0.1:{free_port()}"
        self.url = f"http://{self.address}"
        super().__init__(name, "api", **{
            "TIDINGS_API_LISTEN": self.address, "TIDINGS_API_JWKS": str(KEYS.resolve()), "TIDINGS_API_ISSUER": signer.ISSUER,
            "TIDINGS_API_AUDIENCE": signer.AUDIENCE, "TIDINGS_API_STOP_DELAY": "0s",
        } | variables)

    def is_ready(self):
        """The process may be ready before its own address listens."""
        return super().is_ready() and self.ask("/health/live", self.address).status == 200


class System:
    """The servers with an empty database, and everything that a script starts on them. Nothing of it outlives the `with` block."""

    def __init__(self):
        self.processes = []
        self.login = signer.SigningKey("first")

    def __enter__(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        # Settings of another system, such as those of `tidings dev` in a shell, would change what is measured.
        for name in [name for name in os.environ if name.startswith("TIDINGS_") and name not in ("TIDINGS_HOME", "TIDINGS_BINARY")]:
            del os.environ[name]
        pathlib.Path(HOME).mkdir(parents=True, exist_ok=True)
        for log in pathlib.Path(HOME).glob("*.log"):
            log.unlink()
        try:
            self.start_servers()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)  # a second signal would end the script before everything is stopped
        for process in reversed(self.processes):
            process.signal(signal.SIGTERM)
        for process in reversed(self.processes[1:]):
            process.end()
        if self.processes:
            self.processes[0].stop()

    def start_servers(self):
        servers = Process("servers", "dev", "--servers-only", "--fresh", "--home", HOME)
        self.processes.append(servers)
        servers.start()
        deadline = time.monotonic() + START_LIMIT
        while not any(line.startswith("ready:") for line in servers.log.read_text().splitlines()):
            if not servers.is_running or time.monotonic() > deadline:
                raise SystemExit(f"the servers did not start: {last_line(servers.log)}\n    fix: see {servers.log}")
            time.sleep(0.1)
        lines = pathlib.Path(HOME, "env").read_text().splitlines()
        os.environ.update(line.split("=", 1) for line in lines)
        KEYS.write_text(signer.key_set(self.login))

    def start(self, *roles):
        """Starts roles, each ready before the next one. Clients that name no other API use the first one."""
        for role in roles:
            self.processes.append(role)
            role.start()
            if isinstance(role, API):
                os.environ.setdefault("TIDINGS_API_URL", role.url)

    def key(self, name, *scopes, tenant="default"):
        """A new API key."""
        options = [part for scope in scopes for part in ("--scope", scope)]
        command = [TIDINGS, "key", "create", "--name", name, "--tenant", tenant, "--by", "load", *options]
        done = subprocess.run(command, env=os.environ, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"tidings key create: {done.stderr}")
        return done.stdout.strip()

    def person(self, name, tenant="default", **where):
        """The client of a person's app."""
        someone = KeptClient(self.login.token(name, tenant), **where)
        someone.recipient = name
        return someone

    def sql(self, statement):
        """The rows of a statement, each a list of texts."""
        command = ["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", statement]
        done = subprocess.run(command, env=os.environ, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"psql: {done.stderr}")
        return [line.split("\t") for line in done.stdout.splitlines()]


class RunningSystem(System):
    """The system that deploy/api/scene.py has started. It goes on after the `with` block."""

    def __init__(self):
        self.login = login()

    def __enter__(self):
        os.environ.update(settings())
        return self

    def __exit__(self, *_):
        pass

    def start(self, *roles):
        """Starts nothing: every role runs already."""


class KeptClient(Client):
    """Requests over one connection, which stays open. One thread uses it at a time."""

    def __init__(self, credentials=None, url=None, address=None, repeats=True):
        """The address is that of this end of the connection. A request is repeated if the server has closed the connection meanwhile."""
        super().__init__(credentials)
        if url:
            self.url = urllib.parse.urlsplit(url)
        self.address, self.repeats, self.kept = address, repeats, None

    def connection(self):
        source = (self.address, 0) if self.address else None
        return http.client.HTTPConnection(self.url.netloc, timeout=PATIENCE, source_address=source)

    def exchange(self, method, path, body, headers):
        is_used = self.kept is not None
        try:
            return self.exchange_once(method, path, body, headers)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            if not is_used or not self.repeats:
                raise
            return self.exchange_once(method, path, body, headers)

    def exchange_once(self, method, path, body, headers):
        self.kept = self.kept or self.connection()
        try:
            self.kept.request(method, path, body, headers)
            response = self.kept.getresponse()
            answer = Answer.of(response)
        except BaseException:
            self.close()
            raise
        if response.will_close:
            self.close()
        return answer

    def close(self):
        if self.kept is not None:
            self.kept.close()
        self.kept = None


class Figures(Checks):
    """Checks with figures: each line says what was measured, and what it may be."""

    def most(self, what, value, bar, unit=""):
        self.note(f"{what}: {shown(value)}{unit}, at most {shown(bar)}{unit}", value <= bar, "too much")

    def least(self, what, value, bar, unit=""):
        self.note(f"{what}: {shown(value)}{unit}, at least {shown(bar)}{unit}", value >= bar, "too little")

    def tell(self, text):
        """A figure without a bar."""
        print(f"     {self.section}  {text}", flush=True)


def shown(value):
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def percentile(values, share):
    """The value that this share of the values, from 0 to 100, does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share / 100) - 1)] if ordered else math.nan


def event(source, id, recipient, type="orderUpdate", **members):
    """A CloudEvents event. The recipient is one person, or a list of people."""
    to = {"recipients": recipient} if isinstance(recipient, list) else {"recipient": recipient}
    data = to | {"title": "Your order shipped", "channels": ["inApp"]} | members
    return {"specversion": "1.0", "id": id, "source": source, "type": type, "data": data}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def last_line(log):
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return lines[-1] if lines else "its log is empty"
