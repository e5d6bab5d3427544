"""Client E: the notification centre of a dating app: likes, matches, unblurring.

usage: section_e.py     (deploy/clients/run starts the servers)
"""

from datetime import datetime, timezone

from client import TIME, Backend, Checks, Stream, eventually, person

checks = Checks("E")
backend = Backend("/clients/e")

INCOMING, MUTUAL, PASSED = 0, 1, 2


def like(someone, liker, **data):
    """Somebody likes a person: an intent of the app's backend. Waits until the like is listed."""
    backend.send("like", someone, title="Somebody likes you", data={"userId": liker} | data)
    eventually(lambda: [like["id"] for like in likes(someone, limit=100)["data"]], lambda ids: liker in ids)


def likes(someone, **query):
    return someone.get("/likes", **query).json


def ids(page):
    return [like["id"] for like in page["data"]]


def features():
    answer = person("e-features").get("/configuration/features").json
    checks.members("features", answer, ["is_blur_enabled", "refresh_interval_sec"])
    checks.true("features: is_blur_enabled is a truth value", isinstance(answer["is_blur_enabled"], bool), answer)
    checks.true("features: refresh_interval_sec is a number", type(answer["refresh_interval_sec"]) is int, answer)


def a_like():
    ann = person("e-like")
    like(ann, "kim", name="Kim", photoURL="https://photos.example/kim.jpg", serverIsBlurred=True)
    page = likes(ann)
    checks.members("likes", page, ["data", "meta"])
    checks.members("likes: meta", page["meta"], ["next_cursor", "reset_required"])
    item = page["data"][0]
    checks.members("like", item, ["id", "name", "photoURL", "status", "createdAt", "serverIsBlurred"])
    checks.equal("like: id is the user id of the liker", item["id"], "kim")
    checks.equal("like: name and photo of the intent", (item["name"], item["photoURL"]), ("Kim", "https://photos.example/kim.jpg"))
    checks.equal("like: serverIsBlurred of the intent", item["serverIsBlurred"], True)
    checks.equal("like: status", item["status"], INCOMING)
    checks.matches("like: createdAt", item["createdAt"], TIME)
    checks.equal("like: the last page", page["meta"], {"next_cursor": None, "reset_required": False})


def pages():
    ann = person("e-pages")
    order = [f"user-{number:02}" for number in range(25)]
    for liker in order:
        like(ann, liker, name=liker)
    newest_first = order[::-1]
    first = likes(ann)
    checks.equal("likes: newest first, 20 at a time", ids(first), newest_first[:20])
    like(ann, "late", name="Late")
    second = likes(ann, cursor=first["meta"]["next_cursor"])
    checks.equal("likes: the next page, whatever arrives meanwhile", ids(second), newest_first[20:])
    checks.equal("likes: no page after the last", second["meta"]["next_cursor"], None)
    newer = likes(ann, since_id=newest_first[3], limit=1)
    checks.equal("likes: since_id gives all newer ones, whatever limit says", ids(newer), ["late"] + newest_first[:3])
    checks.equal("likes: since_id needs no reset", newer["meta"]["reset_required"], False)
    checks.equal("likes: nothing newer", ids(likes(ann, since_id="late")), [])
    unknown = likes(ann, since_id="nobody")
    checks.equal("likes: an unknown id asks for a reset", (unknown["meta"]["reset_required"], ids(unknown)[0]), (True, "late"))
    for number in range(50):
        backend.send("like", ann, title="A like", data={"userId": f"more-{number:02}"})
    eventually(lambda: len(ids(likes(ann, limit=100))), lambda count: count == 76)
    many = likes(ann, since_id="late")
    checks.equal("likes: fifty missing ask for a reset", many["meta"]["reset_required"], True)
    both = ann.get("/likes", since_id="late", cursor=first["meta"]["next_cursor"])
    checks.problem("likes: cursor with since_id", both, 422, "invalid")
    checks.problem("likes: limit is no number", ann.get("/likes", limit="x"), 422, "invalid", "limit")


def actions():
    ann = person("e-actions")
    for liker in ("one", "two"):
        like(ann, liker, name=liker)
    answer = ann.post("/likes/two/action", {"action": "pass"})
    checks.equal("pass: 200 with an empty body", (answer.status, answer.bytes), (200, b""))
    checks.status("pass: again, harmless", ann.post("/likes/two/action", {"action": "pass"}), 200)
    status = {item["id"]: item["status"] for item in likes(ann)["data"]}
    checks.equal("passed likes are still returned: the app filters", status, {"one": INCOMING, "two": PASSED})
    checks.problem("an unknown id", ann.post("/likes/nobody/action", {"action": "like"}), 404, "not-found")
    checks.problem("a wrong action", ann.post("/likes/one/action", {"action": "wink"}), 422, "invalid", "/action")
    checks.problem("no action", ann.post("/likes/one/action", {}), 422, "invalid", "/action")


def a_match():
    ann, bob = person("e-ann"), person("e-bob")
    like(ann, bob.recipient, name="Bob", photoURL="https://photos.example/bob.jpg")
    checks.status("a mutual like", ann.post(f"/likes/{bob.recipient}/action", {"action": "like"}), 200)
    checks.equal("match: the like is mutual", likes(ann)["data"][0]["status"], MUTUAL)
    for someone, other in ((ann, bob), (bob, ann)):
        found = eventually(lambda: [item for item in someone.get("/api/notifications")["notifications"] if item["type"] == "match"])
        checks.equal(f"match: {someone.recipient[:5]} gets one notification", len(found), 1)
        checks.equal(f"match: {someone.recipient[:5]} reads whom", found[0]["data"]["userId"], other.recipient)
        checks.equal(f"match: {someone.recipient[:5]}: category", found[0]["category"], "social")
    data = next(item for item in ann.get("/api/notifications")["notifications"] if item["type"] == "match")["data"]
    checks.equal("match: name and photo when known", (data.get("name"), data.get("photoURL")), ("Bob", "https://photos.example/bob.jpg"))
    ann.post(f"/likes/{bob.recipient}/action", {"action": "like"})
    matches = [item for item in ann.get("/api/notifications")["notifications"] if item["type"] == "match"]
    checks.equal("match: liking again makes no second match", len(matches), 1)


def unblur():
    ann = person("e-unblur")
    checks.equal("unblur: not started", ann.get("/unblur/state").json, {"expires_at": None, "is_active": False})
    started = ann.post("/unblur/start").json
    checks.members("unblur", started, ["expires_at", "is_active"])
    checks.equal("unblur: active", started["is_active"], True)
    checks.matches("unblur: expires_at", started["expires_at"], TIME)
    end = datetime.fromisoformat(started["expires_at"].replace("Z", "+00:00"))
    left = (end - datetime.now(timezone.utc)).total_seconds()
    checks.true("unblur: ten minutes by the server's clock", 590 <= left <= 605, left)
    checks.equal("unblur: starting again changes nothing", ann.post("/unblur/start").json, started)
    checks.equal("unblur: the same on every device", ann.get("/unblur/state").json, started)


def quiet_hours_lose_no_like():
    ann = person("e-quiet")
    now = datetime.now(timezone.utc)
    start, end = f"{(now.hour - 2) % 24:02}:00", f"{(now.hour + 2) % 24:02}:00"
    ann.put("/api/preferences", {"timeZone": "UTC", "quietHoursStart": start, "quietHoursEnd": end})
    id = backend.send("like", ann, title="A like", data={"userId": "night"})
    found = backend.deliveries(id)
    checks.equal("like: its channels", sorted(found), ["inApp", "push"])
    checks.equal("like: held in quiet hours", found["inApp"], ("held", "quietHours"))
    checks.equal("like: listed although it is held", ids(likes(ann)), ["night"])


def new_likes_are_a_signal():
    ann = person("e-live")
    with Stream(ann) as stream:
        stream.next()
        backend.send("like", ann, title="A like", data={"userId": "kim", "name": "Kim"})
        news = stream.next("likes")
        checks.true("stream: new likes are a count", news is not None and news["new"] >= 1, news)
        checks.true("stream: no names", "Kim" not in str(news), news)


for part in (features, a_like, pages, actions, a_match, unblur, quiet_hours_lose_no_like, new_likes_are_a_signal):
    with checks.part(part.__name__.replace("_", " ")):
        part()
checks.finish()
