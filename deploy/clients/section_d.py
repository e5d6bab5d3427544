"""Client D: the inbox of a lending app. It knows nothing but a base URL, a bearer token and the paths of its document.

usage: section_d.py     (deploy/clients/run starts the servers)
"""

import threading

from client import ID, TIME, UNKNOWN_ID, Backend, Checks, Client, eventually, person, seconds_from_now, token

checks = Checks("D")
backend = Backend("/clients/d")

FIELDS = [
    "id", "type", "title", "body", "data", "category", "channel", "createdAt", "scheduledFor", "isRead", "icon", "color", "deepLink"
]
MORE_FIELDS = ["imageURL", "groupKey", "state", "position", "snoozedUntil"]
LOOKS = {
    "LOAN_APPROVED": ("checkmark.circle.fill", "green", "transactional"),
    "LOAN_REJECTED": ("xmark.circle.fill", "red", "transactional"),
    "PAYMENT_RECEIVED": ("arrow.down.circle.fill", "green", "transactional"),
    "PAYMENT_DUE": ("exclamationmark.circle.fill", "orange", "transactional"),
    "NEW_LENDER": ("person.circle.fill", "blue", "transactional"),
    "SYSTEM_UPDATE": ("info.circle.fill", "gray", "system"),
}


def items():
    ann = person("d-items")
    for type, (icon, color, category) in LOOKS.items():
        id = backend.deliver(type, ann, title=f"A {type}", body="Details", data={"loanId": 7, "note": "x"})
        item = ann.get(f"/api/notifications/{id}")["notification"]
        checks.equal(f"{type}: icon, colour and category", (item["icon"], item["color"], item["category"]), (icon, color, category))
    checks.members("item", item, FIELDS + MORE_FIELDS)
    checks.matches("item: id", item["id"], ID)
    checks.matches("item: createdAt", item["createdAt"], TIME)
    checks.equal("item: data is text only", item["data"], {"loanId": "7", "note": "x"})
    checks.equal("item: channel", item["channel"], "inApp")
    checks.equal("item: title and body", (item["title"], item["body"]), ("A SYSTEM_UPDATE", "Details"))
    checks.equal("item: isRead", item["isRead"], False)
    other = backend.deliver("orderUpdate", ann)
    item = ann.get(f"/api/notifications/{other}")["notification"]
    checks.equal("a type without a look of its own", (item["icon"], item["color"]), ("bell.fill", "gray"))
    checks.equal("an item without a body has an empty one", item["body"], "")
    later = backend.send("PAYMENT_DUE", ann, scheduledFor=seconds_from_now(2))
    answer = eventually(lambda: ann.get(f"/api/notifications/{later}"), lambda answer: answer.status == 200)
    checks.matches("item: scheduledFor", answer["notification"]["scheduledFor"], TIME)


def listing():
    ann = person("d-list")
    empty = ann.get("/api/notifications")
    checks.members("list", empty.json, ["notifications", "total", "unreadCount", "limit", "offset", "permissionHint"])
    checks.equal("list: an empty inbox", empty.json, {
        "notifications": [], "total": 0, "unreadCount": 0, "limit": 20, "offset": 0, "permissionHint": None
    })
    ids = [backend.deliver("PAYMENT_DUE", ann, title=str(number)) for number in range(25)][::-1]
    first = ann.get("/api/notifications").json
    checks.equal("list: newest first, 20 at a time", [item["id"] for item in first["notifications"]], ids[:20])
    checks.equal("list: counts", (first["total"], first["unreadCount"]), (25, 25))
    second = ann.get("/api/notifications", limit=20, offset=20).json
    checks.equal("list: the second page", [item["id"] for item in second["notifications"]], ids[20:])
    checks.equal("list: the answer repeats limit and offset", (second["limit"], second["offset"]), (20, 20))
    checks.equal("list: beyond the end", ann.get("/api/notifications", offset=1000)["notifications"], [])
    checks.equal("list: a limit above 100 is 100", ann.get("/api/notifications", limit=1000)["limit"], 100)
    checks.equal("list: a limit beyond 64 bits is 100", ann.get("/api/notifications", limit="9" * 30)["limit"], 100)
    for name, wrong in (("limit", 0), ("limit", -1), ("limit", "many"), ("limit", ""), ("limit", "1.5"), ("offset", -1), ("offset", "x")):
        checks.problem(f"list: {name}={wrong}", ann.get("/api/notifications", **{name: wrong}), 422, "invalid", name)

    pages, cursor = [], ""
    while cursor is not None:
        page = ann.get("/api/notifications", limit=10, cursor=cursor).json
        pages += [item["id"] for item in page["notifications"]]
        cursor = page["nextCursor"]
        backend.deliver("PAYMENT_DUE", ann, title="meanwhile")  # an arrival between two pages moves nothing
    checks.equal("list by cursor: every item once, whatever arrives meanwhile", pages, ids)
    checks.members("list by cursor", page, ["notifications", "total", "unreadCount", "limit", "nextCursor", "position", "permissionHint"])
    checks.problem("list: a cursor of somebody's own making", ann.get("/api/notifications", cursor="abc"), 422, "invalid", "cursor")
    checks.problem("list: cursor with offset", ann.get("/api/notifications", cursor="", offset=0), 422, "invalid", "offset")


def reading():
    ann = person("d-read")
    old, middle, new = (backend.deliver("NEW_LENDER", ann, title=name) for name in ("old", "middle", "new"))
    answer = ann.patch(f"/api/notifications/{old}/read")
    checks.members("read: the answer", answer.json, ["notification", "unreadCount"])
    checks.equal("read: the item and the count", (answer["notification"]["isRead"], answer["unreadCount"]), (True, 2))
    again = ann.patch(f"/api/notifications/{old}/read")
    checks.equal("read: marking twice is harmless", (again.status, again["unreadCount"]), (200, 2))
    unread = ann.patch(f"/api/notifications/{old}/unread")
    checks.equal("unread: the item and the count", (unread["notification"]["isRead"], unread["unreadCount"]), (False, 3))
    swept = ann.patch("/api/notifications/read-all", before=middle)
    checks.members("read-all: the answer", swept.json, ["updated", "unreadCount"])
    checks.equal("read-all before: that item and the older one", (swept["updated"], swept["unreadCount"]), (2, 1))
    checks.equal("read-all before: the newer one stays unread", ann.get(f"/api/notifications/{new}")["notification"]["isRead"], False)
    swept = ann.patch("/api/notifications/read-all")
    checks.equal("read-all: the rest", (swept["updated"], swept["unreadCount"]), (1, 0))
    checks.equal("read-all: again, harmless", ann.patch("/api/notifications/read-all")["updated"], 0)
    checks.equal("read items stay listed", ann.get("/api/notifications")["total"], 3)


def deleting():
    ann = person("d-delete")
    first, second = (backend.deliver("LOAN_APPROVED", ann) for _ in range(2))
    answer = ann.delete(f"/api/notifications/{first}")
    checks.status("delete: 200", answer, 200)
    checks.equal("delete: the counts", answer.json, {"total": 1, "unreadCount": 1})
    checks.equal("delete: no longer listed", [item["id"] for item in ann.get("/api/notifications")["notifications"]], [second])
    checks.status("delete: no longer found", ann.get(f"/api/notifications/{first}"), 404)
    checks.status("delete: twice is harmless", ann.delete(f"/api/notifications/{first}"), 200)
    checks.status("delete: a deleted item cannot be read", ann.patch(f"/api/notifications/{first}/read"), 404)
    back = ann.post(f"/api/notifications/{first}/undo")
    checks.equal("undo: the item is back", (back.status, back["unreadCount"]), (200, 2))
    checks.status("undo: of nothing, harmless", ann.post(f"/api/notifications/{second}/undo"), 200)


def what_is_not_theirs():
    ann, bob = person("d-ann"), person("d-bob")
    id = backend.deliver("LOAN_APPROVED", ann)
    calls = {
        "read one": ("GET", ""), "read": ("PATCH", "/read"), "unread": ("PATCH", "/unread"), "seen": ("PATCH", "/seen"),
        "dismissed": ("PATCH", "/dismissed"), "delete": ("DELETE", ""), "undo": ("POST", "/undo"), "wake": ("POST", "/wake"),
    }
    for what, (method, end) in calls.items():
        answers = {}
        for whose, asked in (("somebody else's id", id), ("an unknown id", UNKNOWN_ID), ("a malformed id", "17")):
            answer = bob.request(method, f"/api/notifications/{asked}{end}")
            checks.problem(f"{what}: {whose}", answer, 404, "not-found")
            answers[whose] = {name: value for name, value in answer.json.items() if name != "instance"}
        checks.true(f"{what}: the three answers are the same", len({str(answer) for answer in answers.values()}) == 1, answers)
    checks.equal("nothing of it changed the item", ann.get(f"/api/notifications/{id}")["notification"]["isRead"], False)
    checks.equal("read-all of another person changes nothing", bob.patch("/api/notifications/read-all")["updated"], 0)
    checks.problem("read-all: before is somebody else's", bob.patch("/api/notifications/read-all", before=id), 404, "not-found")
    checks.equal("clear all of another person removes nothing", bob.delete("/api/notifications")["removed"], 0)
    checks.equal("the owner still counts it", ann.get("/api/notifications/unread-count")["unreadCount"], 1)
    twin = Client(token(ann.recipient, tenant="acme"))
    checks.equal("the same name in another tenant is another person", twin.get("/api/notifications")["total"], 0)
    checks.status("the same name in another tenant finds nothing", twin.get(f"/api/notifications/{id}"), 404)


def credentials():
    nobody = Client().get("/api/notifications")
    checks.problem("no token", nobody, 401, "unauthenticated")
    checks.equal("no token: how to authenticate", nobody.headers.get("www-authenticate"), "Bearer")
    good = token("d-someone")
    header, claims, signature = good.split(".")
    forged = {
        "a word": "hello", "a changed claim": f"{header}.{claims[:-2]}AA.{signature}", "no signature": f"{header}.{claims}.",
        "another signature": f"{header}.{claims}.{signature[::-1]}", "algorithm none": f"eyJhbGciOiJub25lIn0.{claims}.",
    }
    for what, wrong in forged.items():
        refused = Client(wrong).get("/api/notifications")
        checks.problem(f"token: {what}", refused, 401, "invalid-token")
        checks.true(f"token: {what}: the header says so", 'error="invalid_token"' in refused.headers.get("www-authenticate", ""))
        checks.true(f"token: {what}: the answer does not repeat it", wrong.encode() not in refused.bytes)
    checks.problem("a key of a backend", backend.get("/api/notifications"), 403, "forbidden")
    checks.problem("a person as a producer", person("d-person").post("/v1/intents", {}), 403, "forbidden")
    for what, wrong in {"a word": "hello", "a word like a key": "tid_hello"}.items():
        for path in ("/v1/recipients/d-person", "/api/notifications"):
            checks.problem(f"{what} at {path}", Client(wrong).get(path), 401, "invalid-token")
    scheme = Client().request("GET", "/api/notifications", headers={"Authorization": "Basic YTpi"})
    checks.status("another scheme", scheme, 401)


def errors():
    ann = person("d-errors")
    checks.problem("an unknown path", ann.get("/api/nothing"), 404, "not-found")
    wrong = ann.post("/api/notifications", {})
    checks.problem("a wrong method", wrong, 405, "method-not-allowed")
    allowed = {method.strip() for method in wrong.headers.get("allow", "").split(",")}
    checks.true("a wrong method: Allow names the right ones", {"GET", "DELETE"} <= allowed, allowed)
    checks.problem("read-all: a misspelt before", ann.patch("/api/notifications/read-all", befor="x"), 422, "invalid", "befor")
    checks.problem("clear all: a body that is not read", ann.request("DELETE", "/api/notifications", {"before": "x"}), 422, "invalid",
                   "/before")
    checks.problem("read-all: before is no id", ann.patch("/api/notifications/read-all", before="x"), 422, "invalid", "before")
    named = ann.request("GET", "/api/notifications", headers={"X-Request-Id": "abc-1"})
    checks.equal("the request id of the app comes back", named.headers["x-request-id"], "abc-1")


def preferences_by_type():
    ann = person("d-types")
    ann.put("/api/preferences", {"types": {"NEW_LENDER": False}})
    found = backend.deliveries(backend.send("NEW_LENDER", ann))
    checks.equal("a type that the person switched off", set(found.values()), {("suppressed", "typeDisabled")})
    checks.status("the other types still arrive", ann.get(f"/api/notifications/{backend.deliver('PAYMENT_DUE', ann)}"), 200)


def many_clients_at_once():
    ann = person("d-many")
    ids = [backend.deliver("PAYMENT_DUE", ann) for _ in range(12)]
    turns = [threading.Thread(target=lambda half=half: [ann.patch(f"/api/notifications/{id}/read") for id in half])
             for half in (ids[:8], ids[4:])]
    for turn in turns:
        turn.start()
    for turn in turns:
        turn.join()
    items = ann.get("/api/notifications", limit=100)
    recount = sum(not item["isRead"] for item in items["notifications"])
    checks.equal("two clients at once: the count equals a recount", (items["unreadCount"], recount), (0, 0))


def engagement():
    ann, bob = person("d-engagement"), person("d-curious")
    id = backend.deliver("PAYMENT_DUE", ann)
    events = [{"type": type, "notificationId": id, "at": seconds_from_now(-2)} for type in ("displayed", "opened")]
    for what in ("events: they are stored", "events: they may come twice"):
        answer = ann.post("/api/events", {"events": events})
        checks.equal(what, (answer.status, answer.json), (202, {"accepted": 2}))
    foreign = bob.post("/api/events", {"events": [{"type": "dismissed", "notificationId": id}]})
    checks.equal("events: about somebody else's item", (foreign.status, foreign.json), (202, {"accepted": 1}))
    steps = [step for step in backend.get(f"/v1/notifications/{id}")["timeline"] if step["actor"] == "app"]
    checks.equal("events: the backend sees each once", sorted(step["verdict"] for step in steps), ["displayed", "opened"])
    checks.equal("events: an opened item is still unread", ann.get(f"/api/notifications/{id}")["notification"]["isRead"], False)
    for what, (wrong, place) in {
        "no events": ({"events": []}, "/events"), "an unknown type": ({"events": [{"type": "clicked"}]}, "/events/0/type"),
        "a wrong time": ({"events": [{"type": "opened", "at": "now"}]}, "/events/0/at"),
    }.items():
        checks.problem(f"events: {what}", ann.post("/api/events", wrong), 422, "invalid", place)


for part in (
    items, listing, reading, deleting, what_is_not_theirs, credentials, errors, preferences_by_type, engagement, many_clients_at_once,
):
    with checks.part(part.__name__.replace("_", " ")):
        part()
checks.finish()
