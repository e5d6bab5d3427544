"""Client A: a notification system with channels, categories, preferences, quiet hours and local notifications.

usage: section_a.py     (deploy/clients/run starts the servers)
"""

import secrets
import zoneinfo
from datetime import datetime, timedelta, timezone

from client import ID, TIME, UNKNOWN_ID, Backend, Checks, Stream, eventually, person, pushes, seconds_from_now

checks = Checks("A")
backend = Backend("/clients/a")

CATEGORIES = {"orderUpdate": "transactional", "promotion": "marketing", "reminder": "system", "social": "social", "system": "system"}
CHANNELS = {"transactional": ["inApp", "push"], "marketing": ["push"], "social": ["inApp"], "system": ["inApp", "local"]}
PREFERENCES = [
    "pushEnabled", "localEnabled", "inAppEnabled", "quietHoursStart", "quietHoursEnd", "enabledCategories", "timeZone", "types"
]


def device_token():
    return secrets.token_hex(32)


def register(someone, **facts):
    """Registers a device and returns its id and token."""
    token = device_token()
    return someone.post("/api/devices", {"token": token} | facts)["deviceId"], token


def types_and_categories():
    ann = person("a-types")
    for type, category in CATEGORIES.items():
        id = backend.send(type, ann, title=f"A {type}")
        deliveries = backend.deliveries(id)
        checks.equal(f"{type}: the channels of {category}", sorted(deliveries), CHANNELS[category])
        if "inApp" not in deliveries:
            continue
        item = eventually(lambda: ann.get(f"/api/notifications/{id}"), lambda answer: answer.status == 200)["notification"]
        checks.equal(f"{type}: the category", item["category"], category)
        checks.equal(f"{type}: the type keeps its word", item["type"], type)


def an_item_as_an_app_reads_it():
    ann = person("a-item")
    data = {"orderId": "17", "count": 3, "isGift": True, "address": {"city": "Lima"}, "tags": ["a"], "nothing": None}
    id = backend.deliver("orderUpdate", ann, title="Shipped", body="It arrives tomorrow.", data=data, groupKey="orders")
    answer = ann.get(f"/api/notifications/{id}")
    item = answer["notification"]
    checks.matches("item: id", item["id"], ID)
    checks.equal("item: title", item["title"], "Shipped")
    checks.equal("item: body", item["body"], "It arrives tomorrow.")
    checks.true("item: every value of data is text", all(isinstance(value, str) for value in item["data"].values()), item["data"])
    checks.equal("item: a text of data stays as it is", item["data"]["orderId"], "17")
    checks.equal("item: a number of data is its JSON", item["data"]["count"], "3")
    checks.equal("item: a truth value of data is its JSON", item["data"]["isGift"], "true")
    checks.equal("item: an object of data is its JSON", item["data"]["address"], '{"city":"Lima"}')
    checks.equal("item: an array of data is its JSON", item["data"]["tags"], '["a"]')
    checks.equal("item: channel", item["channel"], "inApp")
    checks.matches("item: createdAt in UTC with milliseconds", item["createdAt"], TIME)
    checks.equal("item: scheduledFor of a notification that is not scheduled", item["scheduledFor"], None)
    checks.equal("item: isRead", item["isRead"], False)
    checks.equal("item: the thread", item["groupKey"], "orders")
    checks.equal("item: state", item["state"], "delivered")


def a_visible_push():
    ann = person("a-push")
    _, token = register(ann)
    id = backend.send("orderUpdate", ann, title="Shipped", body="Tomorrow", data={"orderId": 17}, groupKey="orders")
    checks.equal("push: sent through the provider", backend.settled(id, push=("sent", "accepted")).get("push"), ("sent", "accepted"))
    headers, payload = pushes(token)[0]
    checks.equal("push: type of the push", headers["apns-push-type"], "alert")
    aps = payload["aps"]
    checks.equal("push: alert", aps["alert"], {"title": "Shipped", "body": "Tomorrow"})
    checks.equal("push: sound", aps["sound"], "default")
    checks.equal("push: badge is the number of unread items", aps.get("badge"), 1)
    checks.equal("push: thread-id", aps["thread-id"], "orders")
    checks.equal("push: category", aps["category"], "transactional")
    checks.equal("push: beside aps: id", payload["id"], id)
    checks.equal("push: beside aps: type", payload["type"], "orderUpdate")
    checks.equal("push: beside aps: category", payload["category"], "transactional")
    checks.true("push: beside aps: createdAt", payload["createdAt"].endswith("Z"), payload["createdAt"])
    checks.equal("push: beside aps: data, as text", payload["data"], {"orderId": "17"})


def taps_and_swipes():
    ann = person("a-taps")
    tapped, swiped = (backend.deliver("orderUpdate", ann) for _ in range(2))
    checks.equal("unread count: a new item counts", ann.get("/api/notifications/unread-count")["unreadCount"], 2)
    read = ann.patch(f"/api/notifications/{tapped}/read")
    checks.equal("tap: the item is read", (read["notification"]["isRead"], read["notification"]["state"]), (True, "read"))
    checks.equal("tap: the count of the same answer", read["unreadCount"], 1)
    dismissed = ann.patch(f"/api/notifications/{swiped}/dismissed")
    checks.equal("swipe: the item is dismissed", dismissed["notification"]["state"], "dismissed")
    checks.equal("swipe: a dismissed item is not read", dismissed["notification"]["isRead"], False)
    checks.equal("swipe: a dismissed item no longer counts as unread", dismissed["unreadCount"], 0)
    checks.equal("swipe: a dismissed item stays listed", ann.get("/api/notifications")["total"], 2)
    undone = ann.post(f"/api/notifications/{swiped}/undo")
    checks.equal("undo: the swiped item is back", (undone["notification"]["state"], undone["unreadCount"]), ("delivered", 1))


def preferences():
    ann = person("a-preferences")
    first = ann.get("/api/preferences").json
    checks.members("preferences", first, PREFERENCES)
    checks.equal("preferences: every channel is on", [first[name] for name in PREFERENCES[:3]], [True, True, True])
    checks.equal("preferences: no quiet hours", (first["quietHoursStart"], first["quietHoursEnd"]), (None, None))
    checks.equal("preferences: every category is on", sorted(first["enabledCategories"]), sorted(CHANNELS))
    checks.true("preferences: no type is off", all(first["types"].values()), first["types"])

    written = {
        "pushEnabled": False, "localEnabled": True, "inAppEnabled": True, "quietHoursStart": "22:00", "quietHoursEnd": "07:00",
        "enabledCategories": ["transactional", "system"], "timeZone": "America/Lima", "types": {"reminder": False},
    }
    answer = ann.put("/api/preferences", written)
    checks.status("preferences: PUT answers the preferences", answer, 200)
    read = ann.get("/api/preferences").json
    checks.equal("preferences: the answer of PUT is what GET reads", answer.json, read)
    for name in PREFERENCES[:-1]:
        is_, should = read[name], written[name]
        checks.equal(f"preferences: {name} is as written", sorted(is_) if isinstance(is_, list) else is_,
                     sorted(should) if isinstance(should, list) else should)
    checks.equal("preferences: the type is off", read["types"].get("reminder"), False)
    kept = ann.put("/api/preferences", {"pushEnabled": True}).json
    checks.equal("preferences: a member that is left out keeps its value", kept["timeZone"], "America/Lima")
    alone = ann.put("/api/preferences", {"quietHoursStart": "22:00", "quietHoursEnd": None}).json
    checks.equal("preferences: one of the two times alone is none", (alone["quietHoursStart"], alone["quietHoursEnd"]), (None, None))
    for name, wrong in {
        "quietHoursStart": "24:00", "timeZone": "Mars/Olympus", "enabledCategories": ["spam"], "pushEnabled": "yes", "types": {"reminder": 1},
    }.items():
        refused = ann.put("/api/preferences", {name: wrong})
        checks.problem(f"preferences: a wrong {name}", refused, 422, "invalid", f"/{name}")
    for name, wrong in {"push_enabled": False, "timezone": "Asia/Tokyo", "quiet_hours_start": None}.items():
        refused = ann.put("/api/preferences", {"pushEnabled": False, name: wrong})
        checks.problem(f"preferences: the unknown member {name}", refused, 422, "invalid", f"/{name}")
    refused = ann.put("/api/preferences", {"types": {"ORDERUPDATE": False}})
    checks.problem("preferences: a type in other letters", refused, 422, "invalid", "/types/ORDERUPDATE")
    checks.true("preferences: the type that was meant", "orderUpdate" in refused["errors"][0]["detail"], refused["errors"])
    checks.equal("preferences: a refused change changes nothing", ann.get("/api/preferences").json, alone)


def disabled_means_suppressed():
    ann = person("a-disabled")
    register(ann)
    ann.put("/api/preferences", {"enabledCategories": ["marketing", "social", "system"]})
    found = backend.deliveries(backend.send("orderUpdate", ann))
    checks.equal("category off: every delivery is suppressed", set(found.values()), {("suppressed", "categoryDisabled")})
    ann.put("/api/preferences", {"enabledCategories": list(CHANNELS), "pushEnabled": False})
    found = backend.settled(backend.send("orderUpdate", ann), inApp=("delivered", "delivered"))
    checks.equal("channel off: push is dropped", found["push"], ("suppressed", "channelDisabled"))
    checks.equal("channel off: the others are not", found["inApp"], ("delivered", "delivered"))
    ann.put("/api/preferences", {"pushEnabled": True, "types": {"orderUpdate": False}})
    found = backend.deliveries(backend.send("orderUpdate", ann))
    checks.equal("type off: every delivery is suppressed", set(found.values()), {("suppressed", "typeDisabled")})
    checks.equal("suppressed notifications are not shown", ann.get("/api/notifications")["total"], 1)


def quiet_hours():
    zone = "Asia/Kathmandu"  # 5 h 45 min ahead of UTC: an hour alone would judge wrongly here
    now = datetime.now(zoneinfo.ZoneInfo(zone))

    def around(before, after):
        return {
            "timeZone": zone, "quietHoursStart": (now - timedelta(minutes=before)).strftime("%H:%M"),
            "quietHoursEnd": (now + timedelta(minutes=after)).strftime("%H:%M"),
        }

    ann = person("a-quiet")
    ann.put("/api/preferences", around(60, 120))
    held = backend.send("social", ann)
    checks.equal("quiet hours: social waits", backend.deliveries(held)["inApp"], ("held", "quietHours"))
    sent = backend.settled(backend.send("orderUpdate", ann), inApp=("delivered", "delivered"))
    checks.equal("quiet hours: transactional goes out", sent["inApp"], ("delivered", "delivered"))
    checks.equal("quiet hours: a held notification is not listed yet", ann.get("/api/notifications")["total"], 1)

    outside = person("a-outside")
    outside.put("/api/preferences", around(-60, 180))
    found = backend.settled(backend.send("social", outside), inApp=("delivered", "delivered"))
    checks.equal("quiet hours that begin in an hour do not hold", found["inApp"], ("delivered", "delivered"))

    wrapped = person("a-wrapped")
    wrapped.put("/api/preferences", around(30, 23 * 60))
    checks.equal("quiet hours over midnight hold", backend.deliveries(backend.send("social", wrapped))["inApp"], ("held", "quietHours"))

    ended = person("a-ended")
    ended.put("/api/preferences", around(180, -1))
    found = backend.settled(backend.send("social", ended), inApp=("delivered", "delivered"))
    checks.equal("quiet hours that ended a minute ago do not hold", found["inApp"], ("delivered", "delivered"))

    never = person("a-never")
    never.put("/api/preferences", {"timeZone": zone, "quietHoursStart": "10:00", "quietHoursEnd": "10:00"})
    found = backend.settled(backend.send("social", never), inApp=("delivered", "delivered"))
    checks.equal("quiet hours with equal times hold nothing", found["inApp"], ("delivered", "delivered"))


def permission_denied():
    ann = person("a-denied")
    register(ann, permission="denied")
    found = backend.settled(backend.send("orderUpdate", ann), inApp=("delivered", "delivered"))
    checks.equal("permission denied: push is suppressed", found["push"], ("suppressed", "permissionDenied"))
    checks.equal("permission denied: inApp arrives", found["inApp"], ("delivered", "delivered"))
    found = backend.settled(backend.send("system", ann), inApp=("delivered", "delivered"))
    checks.equal("permission denied: local is suppressed", found["local"], ("suppressed", "permissionDenied"))
    checks.equal("permission denied: the list says what to do", ann.get("/api/notifications")["permissionHint"], "openSettings")
    register(ann)
    checks.equal("a device that allows notifications: no hint", ann.get("/api/notifications")["permissionHint"], None)


def escalation():
    ann = person("a-critical")
    id = backend.send("orderUpdate", ann, critical=True)
    found = backend.settled(id, inApp=("delivered", "delivered"))
    checks.equal("critical: without a device the next channels carry it", found.get("inApp"), ("delivered", "delivered"))
    checks.equal("critical: the channels are those of the escalation", sorted(found), ["inApp", "local", "push"])
    refused = backend.publish(backend.event("promotion", ann, critical=True))
    checks.problem("critical: a type that does not allow it", refused, 422, "invalid", "/data/critical")


def schedule_and_cancel():
    ann = person("a-schedule")
    id = backend.send("orderUpdate", ann, scheduledFor=seconds_from_now(3600))
    checks.equal("scheduled: the deliveries wait", backend.deliveries(id)["inApp"], ("held", "scheduledFor"))
    checks.equal("scheduled: not listed before its time", ann.get("/api/notifications")["total"], 0)
    results = {row["channel"]: row["result"] for row in backend.post(f"/v1/notifications/{id}/cancel")["results"]}
    checks.equal("cancel: inApp is cancelled", results.get("inApp"), "cancelled")
    checks.equal("cancel: the reason", backend.deliveries(id)["inApp"], ("cancelled", "cancelledByProducer"))
    again = {row["result"] for row in backend.post(f"/v1/notifications/{id}/cancel")["results"]}
    checks.true("cancel: a second cancel is harmless", again <= {"ended"}, again)
    refused = backend.publish(backend.event("orderUpdate", ann, scheduledFor=seconds_from_now(3 * 366 * 86_400)))
    checks.problem("scheduled: too far ahead", refused, 422, "invalid", "/data/scheduledFor")


def clear_all():
    ann = person("a-clear")
    ids = [backend.deliver("orderUpdate", ann, title=str(number)) for number in range(4)]
    cleared = ann.delete("/api/notifications", before=ids[1])
    checks.equal("clear all before: that item and the older one", (cleared["removed"], cleared["unreadCount"]), (2, 2))
    checks.equal("clear all before: the newer ones stay", [item["id"] for item in listed(ann)], [ids[3], ids[2]])
    stale = ann.delete("/api/notifications", before=ids[1])
    checks.equal("clear all before: a deleted item is still a bound", (stale.status, stale["removed"]), (200, 0))
    checks.problem("clear all before: an unknown item", ann.delete("/api/notifications", before=UNKNOWN_ID), 404, "not-found")
    cleared = ann.delete("/api/notifications")
    checks.equal("clear all: the rest", (cleared["removed"], cleared["unreadCount"]), (2, 0))
    checks.equal("clear all: again, harmless", ann.delete("/api/notifications")["removed"], 0)
    checks.problem("clear all: before is no id", ann.delete("/api/notifications", before="x"), 422, "invalid", "before")
    back = ann.post(f"/api/notifications/{ids[0]}/undo")
    checks.equal("undo: a cleared item is back", (back.status, back["unreadCount"]), (200, 1))


def snooze_and_seen():
    ann = person("a-snooze")
    id = backend.deliver("orderUpdate", ann)
    seen = ann.patch(f"/api/notifications/{id}/seen")
    checks.equal("seen: the item still is unread", (seen["notification"]["isRead"], seen["unreadCount"]), (False, 1))
    snoozed = ann.post(f"/api/notifications/{id}/snooze", {"until": seconds_from_now(2)})
    checks.equal("snooze: not counted", snoozed["unreadCount"], 0)
    checks.equal("snooze: not listed", ann.get("/api/notifications")["total"], 0)
    later = backend.deliver("orderUpdate", ann)
    back = eventually(lambda: listed(ann), lambda items: len(items) == 2)
    checks.equal("snooze: listed again at its time, on top", [item["id"] for item in back], [id, later])
    checks.equal("snooze: unread again", ann.get("/api/notifications/unread-count")["unreadCount"], 2)
    ann.post(f"/api/notifications/{later}/snooze", {"until": seconds_from_now(600)})
    checks.equal("snooze: snoozed items are listed apart", [item["id"] for item in listed(ann, snoozed="true")], [later])
    ann.post(f"/api/notifications/{later}/wake")
    checks.equal("snooze: woken by hand, on top", [item["id"] for item in listed(ann)], [later, id])
    for wrong in (seconds_from_now(-60), seconds_from_now(400 * 86_400), "tomorrow", ""):
        checks.problem(f"snooze: until {wrong[:10]!r} is refused", ann.post(f"/api/notifications/{id}/snooze", {"until": wrong}), 422,
                       "invalid", "/until")


def local_notifications():
    ann = person("a-local")
    device, _ = register(ann, timeZone="America/Lima")
    due = (datetime.now(timezone.utc) + timedelta(hours=3)).replace(second=0, microsecond=0)
    content = {"title": "Dentist", "body": "At three", "data": {"room": 4}, "groupKey": "health"}
    id = backend.send("reminder", ann, scheduledFor=due.isoformat(), **content)
    backend.deliveries(id)
    plan = eventually(lambda: ann.get("/api/local-notifications", deviceId=device).json, lambda plan: plan["requests"])
    checks.members("plan", plan, ["version", "reset", "requests", "removed"])
    checks.equal("plan: without a version the whole plan", plan["reset"], True)
    request = plan["requests"][0]
    checks.members("plan: a request", request, ["identifier", "title", "body", "sound", "userInfo", "threadIdentifier", "trigger"])
    checks.equal("plan: identifier", request["identifier"], id)
    checks.equal("plan: title and body", (request["title"], request["body"]), ("Dentist", "At three"))
    checks.equal("plan: thread", request["threadIdentifier"], "health")
    checks.equal("plan: userInfo has text only", request["userInfo"].get("room"), "4")
    local = due.astimezone(zoneinfo.ZoneInfo("America/Lima"))
    parts = {"year": local.year, "month": local.month, "day": local.day, "hour": local.hour, "minute": local.minute}
    checks.equal("plan: the trigger is in the device's zone", request["trigger"],
                 {"type": "calendar", "dateComponents": parts, "repeats": False})

    version = plan["version"]
    confirmed = ann.post("/api/local-notifications/ack", {"deviceId": device, "version": version})
    checks.status("plan: the app confirms", confirmed, 204)
    same = ann.get("/api/local-notifications", deviceId=device, since=version).json
    checks.equal("plan: nothing new since then", (same["reset"], same["requests"], same["removed"]), (False, [], []))
    ann.patch(f"/api/devices/{device}", {"timeZone": "Asia/Kathmandu"})
    moved = ann.get("/api/local-notifications", deviceId=device, since=version).json
    there = due.astimezone(zoneinfo.ZoneInfo("Asia/Kathmandu"))
    checks.equal("plan: rewritten when the zone changes", moved["requests"][0]["trigger"]["dateComponents"]["minute"], there.minute)
    checks.true("plan: the version grows", moved["version"] > version, moved["version"])
    results = {row["channel"]: row["result"] for row in backend.post(f"/v1/notifications/{id}/cancel")["results"]}
    checks.equal("plan: a cancel tells that the device has it", results.get("local"), "onDevice")
    gone = ann.get("/api/local-notifications", deviceId=device, since=moved["version"]).json
    checks.equal("plan: the device is told to forget it", (gone["requests"], gone["removed"]), ([], [id]))
    unknown = ann.get("/api/local-notifications", deviceId=device, since=999_999).json
    checks.equal("plan: an unknown version gets the whole plan", unknown["reset"], True)
    checks.status("plan: somebody else's device", person("a-other").get("/api/local-notifications", deviceId=device), 404)
    checks.problem("plan: without a device", ann.get("/api/local-notifications"), 422, "invalid", "deviceId")
    refused = ann.post("/api/local-notifications/ack", {"deviceId": device, "version": 999_999})
    checks.problem("plan: a version that was never told", refused, 422, "invalid", "/version")


def at_most_64_are_planned():
    ann = person("a-many")
    device, _ = register(ann)
    events = [
        backend.event("reminder", ann, title=str(number), scheduledFor=seconds_from_now(7200 + 60 * number)) for number in range(70)
    ]
    answer = backend.post("/v1/intents", events, Content_Type="application/cloudevents-batch+json")
    checks.status("plan: seventy reminders in one batch", answer, 202)
    for notification in answer["notifications"]:
        backend.deliveries(notification["id"])
    plan = eventually(lambda: ann.get("/api/local-notifications", deviceId=device)["requests"], lambda plan: len(plan) >= 64)
    checks.equal("plan: at most 64, the soonest first", [request["title"] for request in plan], [str(number) for number in range(64)])


def live():
    ann = person("a-live")
    with Stream(ann) as stream:
        checks.equal("stream: content type", stream.headers["content-type"].split(";")[0], "text/event-stream")
        checks.equal("stream: nginx does not collect it", stream.headers.get("x-accel-buffering"), "no")
        first = stream.next()
        checks.equal("stream: the counts at once", (first["unreadCount"], first["total"], first["newest"]), (0, 0, None))
        id = backend.send("orderUpdate", ann)
        news = stream.next(where=lambda data: data["total"] == 1)
        checks.equal("stream: a new item", (news["unreadCount"], news["newest"], news["new"]), (1, id, [id]))
        checks.true("stream: counts and ids, no content", "Title" not in str(news), news)
        ann.patch(f"/api/notifications/{id}/read")
        news = stream.next(where=lambda data: data["unreadCount"] == 0)
        checks.equal("stream: a change on another device", news["changed"], [id])
    missed = backend.deliver("orderUpdate", ann)
    ann.patch(f"/api/notifications/{id}/unread")
    for what, known in (("the id of the last event", news["lastEventId"]), ("the id of an item", id)):
        with Stream(ann, last_event_id=known) as stream:
            first = stream.next()
            told = (first["new"], first["changed"], first["reset"])
            checks.equal(f"stream: {what} names what was missed", told, ([missed], [id], False))
    with Stream(ann, last_event_id="yesterday") as stream:
        checks.equal("stream: an id that is none makes a reset", stream.next()["reset"], True)


def listed(someone, **query):
    return someone.get("/api/notifications", **query)["notifications"]


for part in (
    types_and_categories, an_item_as_an_app_reads_it, a_visible_push, taps_and_swipes, preferences, disabled_means_suppressed, quiet_hours,
    permission_denied, escalation, schedule_and_cancel, clear_all, snooze_and_seen, local_notifications, at_most_64_are_planned, live,
):
    with checks.part(part.__name__.replace("_", " ")):
        part()
checks.finish()
