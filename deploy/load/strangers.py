"""Every operation of the served OpenAPI document, asked by strangers. Every cell of the table is refused.

usage: strangers.py [--running]     (deploy/load/run builds the binary)

--running asks the system of deploy/api/scene.py, whose API has the least rights, instead of a new one.

Ann has an item, a device, a like and settings. The rows of the table are the operations that need credentials, with Ann's objects in their
paths, queries and bodies. The columns are callers without a right to them:

| column | caller | answer |
| --- | --- | --- |
| nobody | without credentials | 401 |
| expired | the expired token of Ann | 401 |
| forged | a token of Ann with another signature | 401 |
| revoked | a key with every scope that was revoked | 401 |
| kind | a key where people are asked for, and the token of Ann where keys are | 403 |
| scope | a key without the scope of the operation | 403 |
| person | the token of Bob | 404, if the request names something of Ann |
| tenant | the token of Ann of another tenant, or a key of another tenant | 403 or 404, if the request names something of Ann's tenant |

"own" stands for a request that names nothing of Ann. Its answer must not have anything of her. Each operation that reads is also asked by
HEAD, which must be refused as well. At the end everything of Ann is as before.
"""

import argparse
import json
import re
import secrets
import subprocess

from system import API, Figures, KeptClient, Role, RunningSystem, System, TIDINGS, event

from client import Stream, eventually, seconds_from_now

checks = Figures("strangers")

SCOPES = (
    "intents:write", "notifications:read", "notifications:cancel", "recipients:read", "recipients:write", "recipients:export",
    "recipients:erase", "addresses:write",
)
COLUMNS = ("nobody", "expired", "forged", "revoked", "kind", "scope", "person", "tenant")
STATUSES = {"nobody": (401,), "expired": (401,), "forged": (401,), "revoked": (401,), "kind": (403,), "scope": (403,), "person": (404,),
            "tenant": (403, 404)}
HEAD_STATUSES = (401, 403, 404, 405)
SECRET = f"secret-{secrets.token_hex(8)}"  # stands in everything of Ann that an answer could have
PATIENCE = 60


class Operation:
    """An operation of the document, as a request about Ann's objects."""

    def __init__(self, path, method, id, security, scope, has_body, ann):
        self.id, self.method, self.is_of_people = id, method, security == "personToken"
        self.scope, self.has_body = scope, has_body
        self.path = re.sub(r"{(\w+)}", lambda match: ann.part(path, match[1]), path)
        self.query, self.body = ann.queries.get(id), ann.bodies.get(id)
        if path.startswith("/v1/recipients/"):
            self.query = {"tenant": "default"}
        # Everything else of people is about the caller alone.
        self.names_object = "{" in path or id in ann.queries or id in ("confirmLocalNotifications", "sendIntents")

    def ask(self, credentials, method=None):
        headers = {"Content-Type": "application/cloudevents+json"} if self.id == "sendIntents" else None
        body = None if method == "HEAD" else self.body
        return KeptClient(credentials).request(method or self.method, self.path, body, self.query, headers)


class Ann:
    """The person whom the strangers must not reach, with one thing of each kind."""

    def __init__(self, system, owner):
        self.app, self.owner, self.name = system.person("strangers-ann"), owner, "strangers-ann"
        intent = event("/load/strangers", "1", self.name, title=SECRET, data={"note": SECRET})
        self.item = self.send(intent)
        self.device = self.app.post("/api/devices", {"token": secrets.token_hex(32)})["deviceId"]
        self.liker = f"{SECRET}-kim"
        self.send(event("/load/strangers", "2", self.name, type="like", title="A like", data={"userId": self.liker}, channels=None))
        eventually(lambda: self.app.get("/likes")["data"], within=PATIENCE)
        self.app.put("/api/preferences", {"quietHoursStart": "22:00", "quietHoursEnd": "07:00", "timeZone": "Europe/Paris"})
        email = {"kind": "email", "value": f"{SECRET}@example.com", "source": SECRET}
        self.address = owner.post(f"/v1/recipients/{self.name}/addresses", email)["address_id"]
        self.erasure = owner.delete("/v1/recipients/strangers-gone")["erasure_id"]
        eventually(lambda: self.app.get(f"/api/notifications/{self.item}").status, lambda status: status == 200, PATIENCE)
        self.queries = {
            "clearNotifications": {"before": self.item}, "markAllNotificationsRead": {"before": self.item},
            "syncLocalNotifications": {"deviceId": self.device},
        }
        self.bodies = self.make_bodies()

    def make_bodies(self):
        preferences = {"pushEnabled": False}
        return {
            "sendIntents": event("/load/strangers", "3", self.name, tenant="default"),
            "putRecipientPreferences": preferences, "putPreferences": preferences,
            "registerRecipientDevice": {"token": secrets.token_hex(32)}, "registerDevice": {"token": secrets.token_hex(32)},
            "updateDevice": {"permission": "denied"},
            "setRecipientAddress": {"kind": "email", "value": "stranger@example.com"}, "changeRecipientAddress": {"consent": "denied"},
            "snoozeNotification": {"until": seconds_from_now(3600)},
            "confirmNotificationReceipt": {"deviceId": self.device},
            "reportEvents": {"events": [{"type": "opened", "notificationId": self.item}]},
            "confirmLocalNotifications": {"deviceId": self.device, "version": 0},
            "answerLike": {"action": "pass"},
        }

    def send(self, intent):
        intent["data"] = {name: value for name, value in intent["data"].items() if value is not None}
        answer = self.owner.post("/v1/intents", intent, Content_Type="application/cloudevents+json")
        if answer.status != 202:
            raise SystemExit(f"an intent for Ann was not accepted: {answer}")
        return answer["notifications"][0]["id"]

    def part(self, path, name):
        """The object of Ann in the place of a parameter of a path."""
        if name != "id":
            return {"recipient": self.name, "user_id": self.liker}[name]
        if "/addresses/" in path:
            return self.address
        return self.erasure if path.startswith("/v1/erasures/") else self.device if "/devices/" in path else self.item

    def everything(self):
        """What she and her backend see. A stranger must not change it."""
        parts = {path: self.app.get(path).json for path in ("/api/notifications", "/api/preferences", "/likes", "/unblur/state")}
        parts |= {part: self.owner.get(f"/v1/recipients/{self.name}/{part}").json for part in ("devices", "addresses")}
        record = self.owner.get(f"/v1/notifications/{self.item}").json
        return parts | {name: record[name] for name in ("notification", "deliveries", "timeline")}


def operations(document, ann):
    """The operations that need credentials. The document is this project's own, with two spaces a level."""
    found, path = [], None
    # A body may stand before or after the other members, so each operation is read as a whole.
    for block in re.split(r"\n(?=  /)|\n(?=    (?:get|post|put|patch|delete):\n)", document[document.index("\npaths:"):]):
        if match := re.match(r"  (/\S*):", block):
            path = match[1]
        if not (match := re.match(r"    (get|post|put|patch|delete):\n", block)):
            continue
        block = block.split("\ncomponents:")[0]
        id = re.search(r"\n      operationId: (\w+)", block)[1]
        security = re.search(r"\n      security: \[{?(\w*)", block)[1]
        scope = re.search(r"\n      x-scope: (\S+)", block)
        if security:
            found.append(Operation(path, match[1].upper(), id, security, scope and scope[1], "\n      requestBody:" in block, ann))
    return found


class Strangers:
    """The credentials of each column, for operations of people and for those of backends."""

    def __init__(self, system, ann, all_scopes):
        login = system.login
        good = login.token(ann.name)
        head, claims, signature = good.split(".")
        self.both = {
            "nobody": None, "expired": login.token(ann.name, seconds=-3600), "forged": f"{head}.{claims}.{signature[::-1]}",
            "revoked": revoked(system),
        }
        self.of_people = {"kind": all_scopes, "person": login.token("strangers-bob"), "tenant": login.token(ann.name, "acme")}
        self.of_backends = {"kind": good, "tenant": system.key("acme", *SCOPES, tenant="acme")}
        self.scopes = {scope: system.key(f"without-{number}", *(other for other in SCOPES if other != scope))
                       for number, scope in enumerate(SCOPES)}

    def of(self, operation):
        if operation.is_of_people:
            return self.both | self.of_people
        return self.both | self.of_backends | {"scope": self.scopes[operation.scope]}


def revoked(system):
    key = system.key("revoked", *SCOPES)
    done = subprocess.run([TIDINGS, "key", "revoke", key.split("_")[1], "--by", "load"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"tidings key revoke: {done.stderr}")
    return key


def row(operation, strangers, ann):
    """Asks as each stranger. Returns the cells and the mistakes."""
    cells, mistakes = {}, []
    for column, credentials in strangers.of(operation).items():
        is_own = column in ("person", "tenant") and operation.is_of_people and not operation.names_object
        if is_own and operation.id == "streamNotifications":
            with Stream(KeptClient(credentials)) as stream:
                answered, text = stream.response.status, json.dumps(stream.next()).encode()
        else:
            answer = operation.ask(credentials)
            answered, text = answer.status, answer.bytes
        cells[column] = f"{answered} own" if is_own else str(answered)
        if not is_own and answered not in STATUSES[column]:
            mistakes.append(f"{column}: {answered}")
        if any(part.encode() in text for part in (SECRET, ann.item, ann.device, ann.address)):
            mistakes.append(f"{column}: the answer has something of Ann: {text[:200]!r}")
        if operation.method == "GET" and not is_own:
            head = operation.ask(credentials, "HEAD")
            if head.status not in HEAD_STATUSES or head.bytes:
                mistakes.append(f"{column}: HEAD {head.status}")
    return cells, mistakes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--running", action="store_true", help="ask the system of deploy/api/scene.py")
    with (RunningSystem if parser.parse_args().running else System)() as system:
        api = API(TIDINGS_API_REQUESTS_PER_PERSON="100000")
        system.start(Role("all", "all"), api)
        all_scopes = system.key("all-scopes", *SCOPES)
        ann = Ann(system, KeptClient(all_scopes))
        rows = operations(KeptClient().get("/openapi.yaml").bytes.decode(), ann)
        checks.least("operations that need credentials", len(rows), 40)
        strangers, before = Strangers(system, ann, all_scopes), ann.everything()
        print(f"| operation | {' | '.join(COLUMNS)} |\n|{' --- |' * (len(COLUMNS) + 1)}", flush=True)
        found = []
        for operation in rows:
            if operation.has_body and operation.body is None:
                found.append((operation, ["this script has no body for it"]))
                continue
            cells, mistakes = row(operation, strangers, ann)
            found.append((operation, mistakes))
            print(f"| {operation.id} | {' | '.join(cells.get(column, '') for column in COLUMNS)} |", flush=True)
        for operation, mistakes in found:
            checks.true(f"{operation.id}: every stranger is refused", not mistakes, mistakes)
        after = ann.everything()
        for part, value in before.items():
            checks.equal(f"Ann's {part}: as before", after[part], value)
    checks.finish()


if __name__ == "__main__":
    main()
