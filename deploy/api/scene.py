"""A system for the parts of deploy/api: one process of the role api with the least rights, behind nginx.

usage: scene.py     (deploy/api/run starts it)

TIDINGS_DATABASE_URL, TIDINGS_AMQP_URL and TIDINGS_TEST_HOSTS name the servers, as the file env of `tidings dev --servers-only --test-hosts`
has them. The scene takes a virtual host, and makes a database and logins of its own:

- The role api logs in to PostgreSQL as a member of tidings_run_api, and to RabbitMQ with the rights of the user api of
  `tidings queue topology --permissions`. The other roles log in as the owner.
- The catalogue is the built-in one with a provider for pushes, which is `tidings capture`, and lets the API vouch for its producers.
- nginx has the example of API.md as its configuration, and serves the demo page beside the API.

TIDINGS_HOME/env has every address as soon as the scene prints "ready". SIGTERM ends the scene. It ends with 1 if a process of the scene has
ended early or with an error, or if the API lacked a right.
"""

import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "load"))

from proxy import Proxy  # noqa: E402
from system import API, HOME, KEYS, Figures, Process, Role, System, TIDINGS, last_line  # noqa: E402

import signer  # noqa: E402
from client import LOGIN, RUN, eventually  # noqa: E402

checks = Figures("scene")

SCOPES = (
    "intents:write", "notifications:read", "notifications:cancel", "recipients:read", "recipients:addresses", "recipients:write",
    "recipients:export", "recipients:erase", "addresses:write",
)
NAME = f"api-{RUN}"  # of the logins and of the database
PASSWORD = RUN
GIVEN = ("TIDINGS_DATABASE_URL", "TIDINGS_AMQP_URL", "TIDINGS_TEST_HOSTS")
# schemathesis and the strangers ask as one person. The scripts of deploy/load have the bound of a person.
REQUESTS = "100000"
# Only nginx and the clients beside it have this address. Clients with another loopback address are clients of nginx.
PROXIES = "127.0.0.1"
DENIED = ("permission denied", "ACCESS_REFUSED", "access refused")


class Scene(System):
    """The servers belong to the environment, everything else to the scene."""

    def __init__(self):
        super().__init__()
        missing = [name for name in GIVEN if not os.environ.get(name)]
        if missing:
            raise SystemExit(f"scene.py: {', '.join(missing)} not set\n    fix: run deploy/api/run")
        self.given = {name: os.environ[name] for name in GIVEN} | {"PGDATABASE": os.environ.get("PGDATABASE", "")}

    def start_servers(self):
        """Makes the place of the scene on the servers."""
        host = take_host(pathlib.Path(self.given["TIDINGS_TEST_HOSTS"]))
        self.sql(f"create database \"{NAME}\" template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'")
        database = urllib.parse.urlsplit(self.given["TIDINGS_DATABASE_URL"])._replace(path=f"/{NAME}")
        broker = urllib.parse.urlsplit(self.given["TIDINGS_AMQP_URL"])._replace(path=f"/{host}", query="connection_timeout=30")
        os.environ |= {"PGDATABASE": NAME, "TIDINGS_DATABASE_URL": database.geturl(), "TIDINGS_AMQP_URL": broker.geturl()}
        run(TIDINGS, "db", "migrate")
        self.sql(f"create role \"{NAME}\" login password '{PASSWORD}' in role tidings_run_api")
        control = "sh", str(pathlib.Path(self.given["TIDINGS_TEST_HOSTS"]).parent / "rabbitmqctl")
        rights = next(row for row in json.loads(run(TIDINGS, "queue", "topology", "--permissions", "-o", "json")) if row["user"] == "api")
        run(*control, "add_user", NAME, PASSWORD)
        run(*control, "set_permissions", "-p", host, NAME, rights["configure"], rights["write"], rights["read"])
        self.login_urls = {"TIDINGS_DATABASE_URL": with_login(database), "TIDINGS_AMQP_URL": with_login(broker)}
        KEYS.write_text(signer.key_set(self.login))
        self.login.write(LOGIN)

    def start_everything(self):
        self.start_capture()
        path = pathlib.Path(HOME, "catalogue.yaml")
        path.write_text(catalogue())
        run(TIDINGS, "catalogue", "apply", str(path))
        # A router must believe the API before the API starts.
        api = API(**self.login_urls, TIDINGS_API_REQUESTS_PER_PERSON=REQUESTS, TIDINGS_API_PROXIES=PROXIES)
        self.start(Role("all", "all"), api)
        proxy = Proxy(api)
        self.processes.append(proxy)
        proxy.start()
        return proxy

    def start_capture(self):
        """Starts the stand-in for Apple, and names it to the roles."""
        certificate = pathlib.Path(HOME, "capture.pem").resolve()
        record = pathlib.Path(HOME, "captured.jsonl").resolve()
        record.unlink(missing_ok=True)
        capture = Process("capture", "capture", "--record", str(record), "--certificate", str(certificate)).start()
        self.processes.append(capture)
        found = eventually(lambda: re.search(r"^capturing HTTP/2 on (\S+)/$", capture.log.read_text(), re.M))
        if not found:
            raise SystemExit(f"tidings capture did not start: {last_line(capture.log)}\n    fix: see {capture.log}")
        key = run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        os.environ |= {
            "TIDINGS_CAPTURED": str(record), "TIDINGS_APNS_KEY": key, "TIDINGS_APNS_ENDPOINT": found[1],
            "TIDINGS_APNS_CERTIFICATE_AUTHORITIES": str(certificate), "TIDINGS_APNS_KEY_ID": "SCENE12345",
            "TIDINGS_APNS_TEAM_ID": "TEAM123456", "TIDINGS_APNS_TOPIC": "com.example.scene",
        }

    def announce(self, proxy):
        """Writes the addresses for the parts. Only the owner of the file can read it, because the addresses have passwords."""
        names = [name for name in os.environ if name.startswith("PG")]
        names += ["TIDINGS_DATABASE_URL", "TIDINGS_AMQP_URL", "TIDINGS_API_URL", "TIDINGS_CAPTURED"]
        addresses = {name: os.environ[name] for name in names} | {
            "TIDINGS_API_KEY": self.key("scene", *SCOPES, tenant="*"), "TIDINGS_PROXY_URL": proxy.url,
        }
        with open(pathlib.Path(HOME, "env"), "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.writelines(f"{name}={value}\n" for name, value in addresses.items())

    def check_rights(self):
        sessions = "select distinct usename from pg_stat_activity where datname = current_database() and application_name = 'tidings api'"
        checks.equal("the API logs in to PostgreSQL as", eventually(lambda: self.sql(sessions)), [[NAME]])
        member = f"select rolname from pg_roles where pg_has_role('{NAME}', oid, 'member') and rolname <> '{NAME}' order by 1"
        checks.equal("its login is a member of", self.sql(member), [["tidings_app"], ["tidings_run_api"]])

    def check_end(self):
        """Everything has ended. Each role has had its time to finish."""
        for role in self.processes:
            if isinstance(role, Role):
                checks.equal(f"{role.name} ended with", role.child.returncode, 0)
                lines = role.log.read_text(errors="replace").splitlines()
                denied = [line for line in lines if any(word in line for word in DENIED)]
                checks.equal(f"{role.name}: lines about a missing right", denied[:3], [])

    def drop(self):
        os.environ["PGDATABASE"] = self.given["PGDATABASE"]
        self.sql(f'drop database if exists "{NAME}" with (force)')
        self.sql(f'drop role if exists "{NAME}"')


def take_host(path):
    """Takes a virtual host that no test has used yet out of the file, as the tests do."""
    with open(path, "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        names = file.read().split()
        if not names:
            raise SystemExit(f"scene.py: every virtual host of {path} is used\n    fix: start the servers again, see deploy/test")
        file.seek(0)
        file.truncate()
        file.writelines(f"{name}\n" for name in names[:-1])
    return names[-1]


def with_login(url):
    return url._replace(netloc=f"{NAME}:{PASSWORD}@{url.netloc.rpartition('@')[2]}").geturl()


def catalogue():
    """The built-in catalogue with pushes by APNs and with the producers of this scene."""
    text = run(TIDINGS, "catalogue", "show", "--built-in")
    for pattern, replacement in (
        (r"^    local: \[localPlan\]$", r"    push: [apns]\n\g<0>"),
        (r"^providers:$", r"\g<0>\n  apns:\n    channel: push\n    kind: apns"),
        (r"^producers: \{\}$", rf"producers:\n  {NAME}: {{vouches: true}}"),
    ):
        text, count = re.subn(pattern, replacement, text, flags=re.M)
        if count == 0:
            raise SystemExit(f"scene.py: the built-in catalogue has no line {pattern}\n    fix: correct catalogue() in {__file__}")
    return text


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        words = " ".join(command[:4])
        raise SystemExit(f"scene.py: {words} ended with {done.returncode}: {done.stdout[-1000:]}{done.stderr[-1000:]}\n    fix: see above")
    return done.stdout


def wait_for_end(scene, parent):
    """Waits for SIGTERM, for the end of the script that started this one, or for the early end of a process."""
    asked = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: asked.set())
    print("ready", flush=True)
    while not asked.wait(0.5) and os.getppid() == parent:
        ended = [process for process in scene.processes if not process.is_running]
        if ended:
            checks.note("every process runs", False, "; ".join(f"{process.name}: {last_line(process.log)}" for process in ended))
            return


def main():
    parent = os.getppid()
    for program in ("openssl", "psql"):
        if shutil.which(program) is None:
            raise SystemExit(f"scene.py: {program} is missing\n    fix: deploy/install --tests")
    pathlib.Path(HOME).mkdir(parents=True, exist_ok=True)
    scene = Scene()
    try:
        with scene:
            scene.announce(scene.start_everything())
            scene.check_rights()
            wait_for_end(scene, parent)
        scene.check_end()
    finally:
        scene.drop()
    checks.finish()


if __name__ == "__main__":
    main()
