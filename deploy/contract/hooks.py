"""Rules of the API that an OpenAPI document cannot express, for schemathesis.

A generated valid request must really be accepted. So these members of a valid request get a value that fits the running server: names of
the catalogue, time zones, times that depend on the clock, and the name of a request, which belongs to one body. Requests that are
generated as invalid stay as they are.
"""

import datetime
import os
import uuid

import schemathesis

# Every one of these is in the built-in catalogue.
TYPE, MARKET, TIME_ZONE = "orderUpdate", "default", "Europe/Paris"
LOCALE, APP_VERSION = "fr-FR", "4.2.0"
# The provider that issued a token judges its form. These digits are a token of every provider but that of browsers.
# APNs and FCM both accept the token. FCM refuses 64 hexadecimal digits, which are a token of APNs.
TOKEN = "80f9c2e1d4b7a6f500112233445566778899aabbccddeeff00112233445566778899aabb"
SUBSCRIPTION = (
    '{"endpoint":"https://push.example/send/1","keys":{"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZ'
    'GH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}'
)
# Characters of four bytes fill a limit in bytes after a quarter of its characters.
LONGEST_WIDE_TEXT = 64

tried = set()  # the operations that have got an answer


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Describes the events of each stream. OpenAPI 3.1 cannot do that, so the document names the schema of their data in `x-events`."""
    for path in raw_schema["paths"].values():
        for operation in path.values():
            answers = operation.get("responses", {}) if isinstance(operation, dict) else {}
            content = answers.get("200", {}).get("content", {}).get("text/event-stream")
            if content:
                content["itemSchema"] = event_schema(content["x-events"])


def event_schema(schemas):
    """An event with a known name, whose data is JSON of the schema of this name. The event `bye` has no data."""
    data = {name: {"$ref": reference} for name, reference in schemas.items()} | {"bye": {"type": "object", "maxProperties": 0}}
    rules = [
        {
            "if": {"properties": {"event": {"const": name}}},
            "then": {"properties": {"data": {"type": "string", "contentMediaType": "application/json", "contentSchema": schema}}},
        }
        for name, schema in data.items()
    ]
    return {"type": "object", "required": ["event", "data"], "properties": {"event": {"enum": list(data)}}, "allOf": rules}


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if isinstance(case.query, dict):
        fit_query(case.operation.definition.raw["operationId"], case.query)
    if case.headers is not None and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    if isinstance(case.path_parameters, dict):
        case.path_parameters = {name: narrow(value) for name, value in case.path_parameters.items()}
    if isinstance(case.body, (dict, list)):
        fit_body(case.operation.definition.raw["operationId"], case.body)


@schemathesis.hook
def after_call(context, case, response):
    """Notes the operation. deploy/contract/try compares the file with the served document, so that none is left out unseen."""
    path = os.environ.get("TIDINGS_CONTRACT_TRIED")
    name = case.operation.definition.raw["operationId"]
    if path and name not in tried:
        tried.add(name)
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{name}\n")


def fit_query(operation, query):
    """A page begins either at a cursor or after a number of items, and likes are read by cursor or since an id.

    A long cursor of the inbox belongs to the snoozed items, a short one to those that have arrived."""
    if "cursor" in query:
        query.pop("offset", None)
        query.pop("since_id", None)
        if operation == "listNotifications":
            query["snoozed"] = "true" if len(query["cursor"]) > 12 else "false"


def fit_body(operation, body):
    if operation == "sendIntents":
        for event in body if isinstance(body, list) else [body]:
            fit_event(event)
    elif operation == "snoozeNotification":
        body["until"] = hours_ahead(2)
    elif operation == "reportEvents":
        fit_reported(body["events"])
    elif operation in ("setRecipientAddress", "changeRecipientAddress"):
        fit_address(body)
    elif isinstance(body, dict):
        fit_names(body)


def fit_event(event):
    """The type and the market are names of the catalogue, the tenant is that of the key, and the times are near."""
    event["type"] = TYPE
    event["id"] = narrow(event["id"])
    data = event["data"]
    for name in ("recipient", "groupKey", "collapseKey"):
        if name in data:
            data[name] = narrow(data[name])
    if isinstance(data.get("recipients"), list):
        data["recipients"] = [narrow(recipient) for recipient in data["recipients"]]
    data["title"] = data.get("title") or "Shipped"
    for name, value in {"market": MARKET, "scheduledFor": hours_ahead(1), "expiresAt": hours_ahead(2)}.items():
        if data.get(name):
            data[name] = value
    data.pop("tenant", None)


def fit_reported(events):
    """A day of a person has room for a number of events, and an event for a number of bytes."""
    del events[1:]
    for event in events:
        if event.get("at") is not None:
            event["at"] = hours_ahead(-1)
        if event.get("detail"):
            name, text = next(iter(event["detail"].items()))
            event["detail"] = {narrow(name): narrow(text)}


def fit_address(body):
    """The kind decides about the form of an address, and a suppression has a reason, and perhaps an end that is near."""
    if "value" in body:
        body["value"] = {"email": "ann@example.com", "sms": "+14155550123"}[body["kind"]]
    if body.get("source"):
        body["source"] = narrow(body["source"])
    if body.get("suppressed"):
        body["suppressionReason"] = "bounce"
        if body.get("suppressedUntil"):
            body["suppressedUntil"] = hours_ahead(2)
    else:
        body.pop("suppressionReason", None)
        body.pop("suppressedUntil", None)


def fit_names(body):
    for name, value in {"market": MARKET}.items():
        if body.get(name):
            body[name] = value
    if body.get("types"):
        body["types"] = {TYPE: True}
    for name, value in {"timeZone": TIME_ZONE, "locale": LOCALE, "appVersion": APP_VERSION}.items():
        if body.get(name) is not None:
            body[name] = value
    if body.get("token") is not None:
        # A device that names no provider has that of its platform.
        body["provider"] = None
        body["token"] = SUBSCRIPTION if body.get("platform") == "web" else TOKEN


def narrow(text):
    """Shortens a text whose characters may take more than one byte."""
    return text[:LONGEST_WIDE_TEXT] if isinstance(text, str) and not text.isascii() else text


def hours_ahead(hours):
    return (datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=hours)).isoformat(timespec="seconds")
