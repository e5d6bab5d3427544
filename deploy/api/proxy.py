"""nginx before the API, with the configuration that API.md gives as an example. It also serves the demo page, as an app's own server would.

Paths and addresses of the example are replaced by those of this machine. Everything else is as the page has it.
"""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "load"))

from system import HOME, Process, free_port, last_line  # noqa: E402

from client import eventually  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "Sources" / "Documentation.docc" / "API.md"
FILES = ROOT / "Sources" / "Clients" / "InboxJS"
CERTIFICATE = pathlib.Path(HOME, "nginx.pem")


class Proxy(Process):
    """A single process of nginx, with every file under the home."""

    def __init__(self, api):
        program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
        if program is None:
            raise SystemExit("nginx is missing\n    fix: deploy/install --tests")
        self.api, self.port = api, free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self.folder = pathlib.Path(HOME, "nginx").resolve()
        # Without -e nginx writes to the log of the system until it has read the configuration.
        super().__init__("nginx", "-e", "stderr", "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"), program=program)

    def start(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o700)
        self.make_certificate()
        (self.folder / "nginx.conf").write_text(self.configuration())
        super().start()
        if not eventually(lambda: not self.is_running or is_open(self.port)) or not self.is_running:
            raise SystemExit(f"nginx did not start: {last_line(self.log)}\n    fix: see {self.log}")
        return self

    def make_certificate(self):
        command = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", str(self.folder / "key.pem"), "-out", str(CERTIFICATE.resolve()),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"openssl made no certificate: {done.stderr}\n    fix: deploy/install --tests")

    def configuration(self):
        paths = "\n".join(f"    {kind}_temp_path {self.folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return f"""daemon off;
master_process off; # one process, which runs as the user of this script
pid {self.folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 512; }}
http {{
    access_log off;
    types {{ text/css css; text/javascript js; }}
{paths}
{self.example()}
}}
"""

    def example(self):
        """The block of API.md, with the addresses of this machine and the files of the demo page."""
        text = re.search(r"```nginx\n(.*?)```", PAGE.read_text(), re.S)[1]
        demo = f"""    location = /demo {{ alias "{FILES}/demo.html"; default_type "text/html; charset=utf-8"; }}
    location /demo/ {{ alias "{FILES}/"; }}
"""
        for old, new in {
            "listen 443 ssl;": f"listen 127.0.0.1:{self.port} ssl;",
            "/etc/ssl/api.example.com.pem": str(CERTIFICATE.resolve()),
            "/etc/ssl/api.example.com.key": str(self.folder / "key.pem"),
            "http://127.0.0.1:8080": self.api.url,
            "    location / {": f"{demo}    location / {{",
        }.items():
            if text.count(old) != 1:
                found = f"API.md: the example for nginx has {old!r} {text.count(old)} times"
                raise SystemExit(f"{found}\n    fix: correct example() in {__file__}")
            text = text.replace(old, new)
        return text


def is_open(port):
    """Whether a port of this machine takes connections."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
