"""Sends one notification through each provider that signs or encrypts, and checks the requests with independent libraries.

usage: verify.py HOME     (called by deploy/verify, with the libraries installed; HOME is a folder for private servers)
"""

import base64
import contextlib
import http.server
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading
import time
import urllib.parse

import http_ece
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from standardwebhooks.webhooks import Webhook

TIDINGS = pathlib.Path(".build/debug/tidings").resolve()
PATIENCE = 120  # in seconds: the longest start or delivery on a busy machine
TITLE, BODY = "Your order shipped", "It arrives tomorrow."
DEVICE_TOKEN = "ab" * 32
TYPES = {"orderUpdate": {"category": "transactional", "allowsCritical": True}}


def unpadded(bytes_):
    return base64.urlsafe_b64encode(bytes_).rstrip(b"=").decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


def point(key):
    return key.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )


def check_es256(token, public_key):
    """Returns header and claims of a JSON Web Token. Its signature is r and s, 32 bytes each. Raises if the signature is wrong."""
    header, claims, signature = token.split(".")
    raw = from_base64url(signature)
    assert len(raw) == 64, f"a signature of {len(raw)} bytes"
    der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    public_key.verify(der, f"{header}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    return json.loads(from_base64url(header)), json.loads(from_base64url(claims))


class Receiver(http.server.BaseHTTPRequestHandler):
    """Keeps the posted requests, in the place of a browser's push service and of a webhook's receiver."""

    arrived = queue.Queue()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        Receiver.arrived.put((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(201)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def running(command, ready, log, environment):
    """Starts a process, waits until its log has a line that begins with `ready`, and stops the process at the end."""
    with open(log, "w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment)
    try:
        deadline = time.monotonic() + PATIENCE
        while not any(line.startswith(ready) for line in pathlib.Path(log).read_text().splitlines()):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{command[1]} did not start\n    fix: see {log}")
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait()


def catalogue(home, service, receiver):
    """Writes a catalogue with every provider in a market of its own, so that exactly one provider reaches each person."""
    settings = {
        "apns": {
            "key": f"file:{home}/apns.p8", "keyId": "ABCDE12345", "teamId": "TEAM123456", "topic": "com.example.shop",
            "endpoint": service["https"], "certificateAuthorities": f"{home}/capture.pem",
        },
        "fcm": {"serviceAccount": f"file:{home}/fcm.json", "endpoint": service["http"] + "fcm"},
        "webpush": {
            "vapidPrivateKey": f"file:{home}/vapid.pem", "subject": "mailto:push@example.com", "allowHTTP": "true",
            "allowedPorts": "any", "allowedNetworks": "127.0.0.0/8",
        },
    }
    providers = {name: {"channel": "push", "kind": name, "settings": values} for name, values in settings.items()}
    providers["hook"] = {
        "channel": "webhook", "kind": "webhook",
        "settings": {"allowHTTP": "true", "allowedPorts": "any", "allowedNetworks": "127.0.0.0/8"},
    }
    markets = {name: {"push": [name], "webhook": ["hook"]} for name in settings}
    path = home / "catalogue.json"  # JSON is YAML
    path.write_text(json.dumps({"types": TYPES, "markets": markets, "defaultMarket": "apns", "providers": providers}))
    return path


def main():
    home = pathlib.Path(sys.argv[1]).resolve()
    keys = {name: ec.generate_private_key(ec.SECP256R1()) for name in ("apns", "vapid", "browser")}
    account_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    (home / "apns.p8").write_text(pem(keys["apns"]))
    (home / "vapid.pem").write_text(pem(keys["vapid"]))
    auth = os.urandom(16)
    secret = "whsec_" + base64.b64encode(os.urandom(32)).decode()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    receiver = f"http://127.0.0.1:{server.server_port}"
    record = home / "captured.jsonl"
    record.unlink(missing_ok=True)
    environment = dict(os.environ, WEBHOOK_SECRET=secret)

    def tidings(*arguments):
        done = subprocess.run([TIDINGS, *arguments], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"tidings {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
        return done.stdout

    def send(recipient, channel):
        told = tidings("send", "orderUpdate", "--to", recipient, "--title", TITLE, "--body", BODY, "--channel", channel, "--wait")
        assert "sent" in told or "delivered" in told, told

    def captured(path):
        """Returns the last request to `capture` whose path begins with `path`."""
        return [line for line in map(json.loads, record.read_text().splitlines()) if line["path"].startswith(path)][-1]

    def apply(path):
        """Makes a catalogue the active one and waits until the roles use it."""
        log, words = home / "dev.log", "another catalogue is active"
        seen = log.read_text().count(words)
        tidings("catalogue", "apply", path)
        deadline = time.monotonic() + PATIENCE
        while log.read_text().count(words) == seen:
            if time.monotonic() > deadline:
                raise SystemExit(f"the roles do not follow the catalogue\n    fix: see {log}")
            time.sleep(0.1)

    capture = [TIDINGS, "capture", "--record", record, "--certificate", home / "capture.pem"]
    with running(capture, "capturing HTTP/2", home / "capture.log", environment):
        lines = (home / "capture.log").read_text().splitlines()
        service = {"http": lines[0].split()[-1], "https": lines[1].split()[-1].rstrip("/")}
        (home / "fcm.json").write_text(json.dumps({
            "type": "service_account", "project_id": "shop", "private_key_id": "1", "private_key": pem(account_key),
            "client_email": "tidings@shop.iam.gserviceaccount.com", "token_uri": service["http"] + "fcm/token",
        }))
        path = catalogue(home, service, receiver)
        with running([TIDINGS, "dev", "--fresh", "--home", home / "servers"], "ready", home / "dev.log", environment):
            for line in (home / "servers" / "env").read_text().splitlines():
                name, _, value = line.partition("=")
                environment[name] = value.strip("'\"")
            apply(path)
            for market in ("apns", "fcm", "webpush"):
                tidings("recipient", "set", market, "--market", market)
            tidings("device", "register", "apns", DEVICE_TOKEN)
            tidings("device", "register", "fcm", "a-token-of-firebase", "--platform", "android")
            subscription = {
                "endpoint": f"{receiver}/browser", "keys": {"p256dh": unpadded(point(keys["browser"])), "auth": unpadded(auth)},
            }
            tidings("device", "register", "webpush", json.dumps(subscription, separators=(",", ":")), "--platform", "web")
            tidings("recipient", "set", "shop", "--webhook", f"{receiver}/hook", "--webhook-secret", "env:WEBHOOK_SECRET")

            send("apns", "push")
            request = captured("/3/device/")
            assert request["path"] == f"/3/device/{DEVICE_TOKEN}", request["path"]
            token = request["headers"]["authorization"].removeprefix("bearer ")
            header, claims = check_es256(token, keys["apns"].public_key())
            assert header == {"alg": "ES256", "kid": "ABCDE12345"} and claims["iss"] == "TEAM123456", (header, claims)
            assert abs(claims["iat"] - time.time()) < 3600 and isinstance(claims["iat"], int), claims
            print(f"APNs: the provider token verifies with cryptography: {header} {claims}")

            send("fcm", "push")
            form = urllib.parse.parse_qs(captured("/fcm/token")["body"])
            signed, _, signature = form["assertion"][0].rpartition(".")
            account_key.public_key().verify(from_base64url(signature), signed.encode(), padding.PKCS1v15(), hashes.SHA256())
            print(f"Firebase: the assertion verifies with cryptography: {json.loads(from_base64url(signed.split('.')[1]))}")

            send("webpush", "push")
            _, headers, body = Receiver.arrived.get(timeout=PATIENCE)
            plain = json.loads(http_ece.decrypt(body, private_key=keys["browser"], auth_secret=auth, version="aes128gcm"))
            assert (plain["title"], plain["body"]) == (TITLE, BODY), plain
            parts = dict(part.strip().split("=", 1) for part in headers["authorization"].removeprefix("vapid ").split(","))
            assert from_base64url(parts["k"]) == point(keys["vapid"]), parts
            _, claims = check_es256(parts["t"], keys["vapid"].public_key())
            assert claims["aud"] == receiver and 0 < claims["exp"] - time.time() <= 86400, claims
            print(f"Web Push: http-ece decrypts {plain}")
            print(f"Web Push: the VAPID token verifies with cryptography: {claims}")

            send("shop", "webhook")
            _, headers, body = Receiver.arrived.get(timeout=PATIENCE)
            payload = Webhook(secret).verify(body, headers)
            print(f"Webhook: standardwebhooks verifies {headers['webhook-id']} of type {payload['type']}")
    server.shutdown()


main()
