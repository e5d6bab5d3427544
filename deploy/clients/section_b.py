"""Client B: the push flow of a media app: device registration, silent pushes, payloads of an unknown type.

usage: section_b.py     (deploy/clients/run starts the servers)
"""

import secrets
from datetime import datetime, timedelta, timezone

from client import Backend, Checks, Client, person, pushes, seconds_from_now

checks = Checks("B")
backend = Backend("/clients/b")

FILE = {"fileId": "f-1", "key": "media/1.mp4", "title": "Episode 1", "publishDate": "2026-11-25", "size": 7_340_032}
UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def new_token(digits=64):
    return secrets.token_hex(digits // 2)


def registration():
    ann = person("b-register")
    token = new_token()
    answer = ann.post("/api/devices", {"token": token})
    checks.status("register: a token alone is enough", answer, 200)
    device = answer.json
    checks.members("register: the answer", device, ["deviceId", "endpointArn", "body"])
    checks.matches("register: deviceId", device["deviceId"], UUID)
    checks.true("register: endpointArn", device["endpointArn"])
    checks.equal("register: body has both again", device["body"], {name: device[name] for name in ("deviceId", "endpointArn")})
    again = ann.post("/api/devices", {"token": token})
    checks.equal("register: the same token is the same device", again.json, device)

    stored = devices(ann)[0]
    defaults = {"platform": "ios", "provider": "apns", "environment": "production", "permission": "authorized", "market": None}
    for name, should in defaults.items():
        checks.equal(f"register: the default of {name}", stored[name], should)

    facts = {
        "token": new_token(), "platform": "ios", "provider": "apns", "environment": "sandbox", "permission": "provisional",
        "market": "default", "timeZone": "America/Mexico_City", "locale": "es-MX", "appVersion": "4.2.0",
    }
    full = ann.post("/api/devices", facts)["deviceId"]
    stored = next(device for device in devices(ann) if device["device_id"] == full)
    for name, column in {
        "environment": "environment", "permission": "permission", "market": "market", "timeZone": "time_zone", "locale": "locale",
        "appVersion": "app_version",
    }.items():
        checks.equal(f"register: {name} is kept", stored[column], facts[name])
    ann.post("/api/devices", {"token": facts["token"]})
    stored = next(device for device in devices(ann) if device["device_id"] == full)
    checks.equal("register: a member that is left out keeps its value", stored["locale"], "es-MX")
    for digits in (8, 64, 160, 200, 400):
        checks.status(f"register: a token of {digits} digits", ann.post("/api/devices", {"token": new_token(digits)}), 200)

    for name, wrong in {
        "token": "", "platform": "palmOS", "environment": "test", "permission": "maybe", "market": "atlantis",
    }.items():
        refused = ann.post("/api/devices", {"token": new_token()} | {name: wrong})
        checks.problem(f"register: a wrong {name}", refused, 422, "invalid", f"/{name}")
    for token in ("{length=32,bytes=0x740f4707}", "dA9HB7689098JdSOM1iUdA9HB7689098JdSOM1iU9aY=", "0" * 402, "(null)"):
        refused = ann.post("/api/devices", {"token": token})
        checks.problem(f"register: a token that can never work, {token[:20]}", refused, 422, "invalid", "/token")
    for name, odd in {"timeZone": "GMT+0530", "locale": "!", "appVersion": "x" * 200}.items():
        registered = ann.post("/api/devices", {"token": new_token()} | {name: odd})
        checks.status(f"register: {name} is context and never refuses", registered, 200)
        checks.equal(f"register: the answer names {name}", [left["pointer"] for left in registered.json.get("ignored", [])], [f"/{name}"])
    unknown = ann.post("/api/devices", {"token": new_token(), "app_version": "4.2.0"})
    checks.problem("register: an unknown member", unknown, 422, "invalid", "/app_version")
    checks.problem("register: no token", ann.post("/api/devices", {}), 422, "invalid", "/token")
    checks.problem("register: a token with a space", ann.post("/api/devices", {"token": "a b"}), 422, "invalid", "/token")
    checks.problem("register: no JSON", ann.request("POST", "/api/devices", b"{", headers={"Content-Type": "application/json"}), 400,
                   "malformed")
    checks.problem("register: another media type", ann.request("POST", "/api/devices", b"token=1", headers={"Content-Type": "text/plain"}),
                   415, "unsupported-media-type")
    large = ann.request("POST", "/api/devices", b" " * 100_000, headers={"Content-Type": "application/json"})
    checks.problem("register: a body of 100 kB", large, 413, "payload-too-large")
    checks.problem("register: without a token of the person", Client().post("/api/devices", {"token": new_token()}), 401, "unauthenticated")


def a_token_moves():
    ann, bob = person("b-first"), person("b-second")
    token = new_token()
    first = ann.post("/api/devices", {"token": token})["deviceId"]
    second = bob.post("/api/devices", {"token": token.upper()})["deviceId"]
    checks.equal("move: the device keeps its id, however its token is written", second, first)
    checks.equal("move: the device of the first person is gone", [d for d in devices(ann) if d["state"] == "active"], [])
    checks.status("move: the first person no longer reaches it", ann.patch(f"/api/devices/{first}", {"permission": "denied"}), 404)
    checks.status("move: the second person does", bob.patch(f"/api/devices/{second}", {"permission": "denied"}), 200)


def changes():
    ann = person("b-change")
    device = ann.post("/api/devices", {"token": new_token()})["deviceId"]
    changed = ann.patch(f"/api/devices/{device}", {"permission": "denied", "timeZone": "Europe/Paris"})
    checks.equal("change: the answer names the device", changed["deviceId"], device)
    stored = devices(ann)[0]
    checks.equal("change: permission", stored["permission"], "denied")
    checks.equal("change: time zone", stored["time_zone"], "Europe/Paris")
    token = new_token()
    ann.patch(f"/api/devices/{device}", {"token": token, "permission": "authorized"})
    backend.settled(backend.send("orderUpdate", ann), push=("sent", "accepted"))
    checks.equal("change: the new token gets the push", len(pushes(token)), 1)
    checks.problem("change: a wrong permission", ann.patch(f"/api/devices/{device}", {"permission": 1}), 422, "invalid", "/permission")
    checks.problem("change: an unknown device", ann.patch("/api/devices/nothing", {"permission": "denied"}), 404, "not-found")
    other = person("b-other")
    checks.problem("change: somebody else's device", other.patch(f"/api/devices/{device}", {"permission": "denied"}), 404, "not-found")
    checks.problem("remove: somebody else's device", other.delete(f"/api/devices/{device}"), 404, "not-found")

    removed = ann.delete(f"/api/devices/{device}")
    checks.equal("remove: 204 without a body", (removed.status, removed.bytes), (204, b""))
    checks.status("remove: again, harmless", ann.delete(f"/api/devices/{device}"), 204)
    found = backend.settled(backend.send("orderUpdate", ann), inApp=("delivered", "delivered"))
    checks.equal("remove: nothing is pushed to it", found["push"], ("suppressed", "endpointGone"))
    back = ann.post("/api/devices", {"token": token})["deviceId"]
    checks.equal("remove: registering again brings it back", back, device)


def metadata():
    ann, token = with_device("b-metadata", permission="denied")
    ann.put("/api/preferences", quiet_now())
    id = backend.send("metadata", ann, title=None, data={"file": FILE})
    found = backend.settled(id, push=("sent", "accepted"))
    checks.equal("metadata: push only, in quiet hours, without alert permission", found, {"push": ("sent", "accepted")})
    headers, payload = pushes(token)[0]
    checks.equal("metadata: aps", payload.pop("aps"), {"content-available": 1})
    checks.equal("metadata: beside aps, as it was sent", payload, {"type": "metadata", "file": FILE})
    checks.true("metadata: size is an integer", isinstance(payload["file"]["size"], int))
    checks.equal("metadata: priority", headers["apns-priority"], "5")
    checks.equal("metadata: type of the push", headers["apns-push-type"], "background")
    checks.equal("metadata: nothing in the inbox", ann.get("/api/notifications")["total"], 0)
    refusals = {
        "no file": ({}, "/data/data"),
        "no fileId": ({"file": {"key": "k"}}, "/data/data/file"),
        "no key": ({"file": {"fileId": "f"}}, "/data/data/file"),
        "a size that is no integer": ({"file": FILE | {"size": "big"}}, "/data/data/file/size"),
        "a publishDate that is no date": ({"file": FILE | {"publishDate": "25.11.2026"}}, "/data/data/file/publishDate"),
    }
    for what, (data, place) in refusals.items():
        refused = backend.publish(backend.event("metadata", ann, title=None, data=data))
        checks.problem(f"metadata: {what}", refused, 422, "invalid")
        checks.true(f"metadata: {what}: the place", refused["errors"][0]["pointer"].startswith(place), refused["errors"])
        checks.equal(f"metadata: {what}: the reason", refused["errors"][0].get("code"), "schemaViolation")
    optional = {"file": {"fileId": "f-2", "key": "k", "url": "https://media.example/2"}}
    checks.status("metadata: only fileId and key are required", backend.publish(backend.event("metadata", ann, None, data=optional)), 202)


def download_ready():
    ann, token = with_device("b-download")
    data = {"fileId": "f-1", "url": "https://media.example/1.mp4"}
    backend.settled(backend.send("downloadReady", ann, title=None, data=data), push=("sent", "accepted"))
    _, payload = pushes(token)[0]
    checks.equal("downloadReady: the payload", payload, {"aps": {"content-available": 1}, "type": "downloadReady"} | data)
    for what, wrong in {
        "no url": {"fileId": "f"}, "no fileId": {"url": "https://a.example/"}, "url is http": data | {"url": "http://media.example/1"},
        "url is relative": data | {"url": "/1.mp4"},
    }.items():
        refused = backend.publish(backend.event("downloadReady", ann, title=None, data=wrong))
        checks.problem(f"downloadReady: {what}", refused, 422, "invalid")


def no_device_no_silent_push():
    ann = person("b-none")
    found = backend.deliveries(backend.send("downloadReady", ann, title=None, data={"fileId": "f", "url": "https://a.example/"}))
    checks.equal("silent: needs a token", found, {"push": ("suppressed", "noDevice")})


def an_unknown_type():
    ann = person("b-unknown")
    refused = backend.publish(backend.event("fileVanished", ann))
    checks.problem("unknown type: refused with a reason", refused, 422, "invalid", "/type")
    checks.equal("unknown type: the reason", refused["errors"][0].get("code"), "unknownType")
    batch = [backend.event("orderUpdate", ann), backend.event("fileVanished", ann)]
    refused = backend.post("/v1/intents", batch, Content_Type="application/cloudevents-batch+json")
    checks.problem("unknown type: the place in a batch", refused, 422, "invalid", "/1/type")
    checks.equal("unknown type: nothing of the batch is sent", ann.get("/api/notifications")["total"], 0)


def receipts():
    ann, _ = with_device("b-receipt")
    device = devices(ann)[0]["device_id"]
    id = backend.send("orderUpdate", ann)
    backend.settled(id, push=("sent", "accepted"))
    path, stranger = f"/api/notifications/{id}/receipt", person("b-stranger")
    unknown = "4a968a44-256a-4f4b-80ad-d37efe8c75fd"
    checks.problem("receipt: somebody else's notification", stranger.post(path, {"deviceId": device}), 404, "not-found")
    checks.problem("receipt: an unknown device", ann.post(path, {"deviceId": unknown}), 404, "not-found")
    checks.problem("receipt: no device", ann.post(path, {}), 422, "invalid", "/deviceId")
    checks.equal("receipt: none of these counts", backend.deliveries(id)["push"], ("sent", "accepted"))
    checks.status("receipt: 204", ann.post(path, {"deviceId": device}), 204)
    checks.status("receipt: again, harmless", ann.post(path, {"deviceId": device}), 204)
    checks.equal("receipt: the push is delivered", backend.deliveries(id)["push"], ("delivered", "delivered"))


def an_unknown_payload():
    ann = person("b-payload")
    event = {"type": "unknownPayload", "at": seconds_from_now(-5), "detail": {"reason": "unknownType", "type": "weather"}}
    for what in ("unknown payload: it is reported", "unknown payload: the report may come twice"):
        answer = ann.post("/api/events", {"events": [event]})
        checks.equal(what, (answer.status, answer.json), (202, {"accepted": 1}))


def devices(someone):
    """The devices as the backend of the app reads them, the latest registration first."""
    return backend.get(f"/v1/recipients/{someone.recipient}/devices")["devices"]


def with_device(name, **facts):
    someone, token = person(name), new_token()
    someone.post("/api/devices", {"token": token} | facts)
    return someone, token


def quiet_now():
    """Quiet hours from two hours ago until in two hours."""
    now = datetime.now(timezone.utc)
    start, end = ((now + timedelta(hours=shift)).strftime("%H:%M") for shift in (-2, 2))
    return {"timeZone": "UTC", "quietHoursStart": start, "quietHoursEnd": end}


for part in (
    registration, a_token_moves, changes, metadata, download_ready, no_device_no_silent_push, an_unknown_type, receipts, an_unknown_payload,
):
    with checks.part(part.__name__.replace("_", " ")):
        part()
checks.finish()
