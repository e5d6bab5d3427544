"""Headless Chromium, driven by the DevTools protocol over two pipes. Needs no other library, and no port is open meanwhile.

The protocol: https://chromedevtools.github.io/devtools-protocol/. Each message is JSON and ends with a NUL. Chromium reads from its file
descriptor 3 and writes to 4.
"""

import base64
import collections
import fcntl
import json
import os
import queue
import shutil
import signal
import subprocess
import threading
import time

PATIENCE = 30  # seconds: the longest time for one command, and until a page shows what it should
START_LIMIT = 60  # seconds
FLAGS = (
    "--headless", "--remote-debugging-pipe",
    "--no-sandbox",  # root cannot run with it, and the only pages are ours
    "--ignore-certificate-errors",  # the certificate of this run is its own issuer
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # Chromium talks to this machine only
    "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-sync", "--disable-extensions",
    "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio", "--no-first-run", "--no-default-browser-check", "--hide-scrollbars",
    # A window behind another one is not slowed down.
    "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding", "--disable-background-timer-throttling",
    "--window-size=900,700",
)


class BrowserError(Exception):
    """A command that failed, or a page that did not get there in time."""


class Browser:
    """A browser with a profile of its own. Nothing of it outlives the `with` block."""

    def __init__(self, folder):
        self.folder = folder
        self.child = None
        self.number, self.answers, self.tabs = 0, {}, {}
        self.lock = threading.Lock()

    def __enter__(self):
        program = shutil.which("chromium")
        if program is None:
            raise SystemExit("chromium is missing\n    fix: deploy/install --tests")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True, mode=0o700)
        theirs_in, self.output = os.pipe()
        self.input, theirs_out = os.pipe()
        # The shell moves the ends to 3 and 4, so they must not have these numbers before.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_in, theirs_out)]
        moved = f'exec "$@" 3<&{ends[0]} 4>&{ends[1]} {ends[0]}<&- {ends[1]}>&-'
        with open(self.folder / "chromium.log", "wb") as log:
            self.child = subprocess.Popen(
                ["bash", "-c", moved, "bash", program, *FLAGS, f"--user-data-dir={self.folder / 'profile'}", "about:blank"],
                pass_fds=ends, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        for end in (theirs_in, theirs_out, *ends):
            os.close(end)
        threading.Thread(target=self.read, daemon=True).start()
        try:
            self.version = self.call("Browser.getVersion", within=START_LIMIT)["product"]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            # The renderers are in the session of the browser.
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()

    def call(self, method, session=None, within=PATIENCE, **parameters):
        """Sends a command, and returns its result."""
        with self.lock:
            self.number += 1
            number, answer = self.number, queue.Queue()
            self.answers[number] = answer
            message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
            data = json.dumps(message).encode() + b"\0"
            while data:
                data = data[os.write(self.output, data):]
        try:
            found = answer.get(timeout=within)
        except queue.Empty:
            raise BrowserError(f"{method}: no answer within {within} s, see {self.folder / 'chromium.log'}") from None
        if "error" in found:
            raise BrowserError(f"{method}: {found['error'].get('message')}")
        return found["result"]

    def read(self):
        """Gives each answer to its command, and each event to its tab."""
        rest = b""
        while chunk := os.read(self.input, 65_536):
            *messages, rest = (rest + chunk).split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    self.answers.pop(message["id"], queue.Queue()).put(message)
                elif tab := self.tabs.get(message.get("sessionId")):
                    tab.take(message["method"], message["params"])
        for answer in list(self.answers.values()):
            answer.put({"error": {"message": f"Chromium has ended, see {self.folder / 'chromium.log'}"}})

    def tab(self, url):
        """Opens a page in a window of its own."""
        target = self.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = self.tabs[session] = Tab(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            tab.call(f"{domain}.enable")
        if error := tab.call("Page.navigate", url=url).get("errorText"):
            raise BrowserError(f"{url.partition('#')[0]}: {error}")
        return tab


class Tab:
    """A page of the browser: what it asked for, what it complained about, and what it shows."""

    def __init__(self, browser, session):
        self.browser, self.session = browser, session
        self.requests, self.complaints = collections.deque(), collections.deque()

    def take(self, event, data):
        if event == "Network.requestWillBeSent":
            self.requests.append(f"{data['request']['method']} {data['request']['url'].partition('#')[0]}")
        elif event == "Runtime.exceptionThrown":
            details = data["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif event == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
            self.complaints.append(f"{data['entry']['text']} {data['entry'].get('url', '')}")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def evaluate(self, expression):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if details := answer.get("exceptionDetails"):
            raise BrowserError(f"{expression}: {details.get('exception', {}).get('description') or details['text']}")
        return answer["result"].get("value")

    def wait(self, expression, fits=bool, within=PATIENCE):
        """Evaluates again until the value fits. Returns the last value."""
        deadline = time.monotonic() + within
        while True:
            value = self.evaluate(expression)
            if fits(value) or time.monotonic() > deadline:
                return value
            time.sleep(0.1)

    def set_offline(self, is_offline):
        self.call("Network.emulateNetworkConditions", offline=is_offline, latency=0, downloadThroughput=-1, uploadThroughput=-1)

    def freeze(self):
        """Hides and freezes the page, as a browser does with a tab that nobody looks at."""
        self.call("Page.setWebLifecycleState", state="frozen")

    def thaw(self):
        self.call("Page.setWebLifecycleState", state="active")
        self.call("Page.bringToFront")

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
