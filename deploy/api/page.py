"""The demo page in headless Chromium, behind nginx: two tabs of one person, while the command line sends intents.

usage: page.py     (deploy/api/run starts the system)

Each line is a check of what a person sees on the page. Pictures of it are in TIDINGS_HOME/screenshots.
"""

import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))

from chromium import Browser, BrowserError  # noqa: E402

from client import HOME, Checks, eventually, person, tidings  # noqa: E402

checks = Checks("page")

LIVE, THROUGH_ANOTHER, OFFLINE = "Live", "Live through another tab", "Offline"
AWAY = 2  # seconds in which a page must show nothing new, or a frozen tab must do nothing
TAKEOVER = 75  # seconds: Chromium tells a tab before it freezes, and a lost connection begins again within 30 s
STREAM = "GET {url}/api/notifications/stream"

# The page as a person sees it.
PAGE = """(() => {
    const text = (id) => { const element = document.getElementById(id); return element.hidden ? "" : element.textContent.trim(); };
    const titles = (items) => [...items].map((item) => item.querySelector(".title").textContent);
    return {
        connection: text("connection"), badge: text("badge"), pill: text("show-new"), error: text("error"),
        titles: titles(document.querySelectorAll("#list .item")),
        unread: titles(document.querySelectorAll('#list .item[data-unread="true"]')),
    };
})()"""
CLICK_READ = """[...document.querySelectorAll("#list .item")].find((item) => item.querySelector(".title").textContent === %r)
    .querySelector(".read").click()"""
# A tab that runs posts a beat ten times a second, and the other tab counts.
BEAT = 'const beats = new BroadcastChannel("beats"); setInterval(() => beats.postMessage(1), 100); true'
COUNT = 'globalThis.count = 0; new BroadcastChannel("beats").onmessage = () => { globalThis.count += 1; }; true'


class DemoPage:
    """The page of one person in two tabs."""

    def __init__(self, browser):
        self.browser, self.ann = browser, person("page")
        self.url, self.pictures = os.environ["TIDINGS_PROXY_URL"], pathlib.Path(HOME, "screenshots")
        self.pictures.mkdir(exist_ok=True)
        for picture in self.pictures.glob("*.png"):
            picture.unlink()

    def open(self):
        tab = self.browser.tab(f"{self.url}/demo#token={self.ann.credentials}")
        tab.wait('location.pathname === "/demo" && document.readyState === "complete"')
        tab.evaluate("globalThis.isSameDocument = true")
        return tab

    def send(self, title):
        texts = "--title", title, "--body", "From the command line"
        tidings("send", "orderUpdate", "--to", self.ann.recipient, *texts, "--channel", "inApp")

    def shows(self, tab, what, fits, within=30):
        """Waits until the page fits, and notes whether it did."""
        page = tab.wait(PAGE, fits, within)
        checks.true(what, fits(page), page)
        return page

    def arrives(self, tab, title, what, within=30):
        """A new item is in the list, or a control offers it. The list does not move under a reader."""
        page = tab.wait(PAGE, lambda page: title in page["titles"] or page["pill"], within)
        if title not in page["titles"] and page["pill"]:
            tab.evaluate('document.getElementById("show-new").click()')
        self.shows(tab, what, lambda page: title in page["titles"])

    def has_one_leader(self, tabs, what, within=30):
        """One tab has the connection, and the other one is live through it."""
        connections = lambda: sorted(tab.evaluate(PAGE)["connection"] for tab in tabs)
        checks.equal(what, eventually(connections, lambda found: found == [LIVE, THROUGH_ANOTHER], within), [LIVE, THROUGH_ANOTHER])

    def picture(self, tab, name):
        tab.screenshot(self.pictures / f"{name}.png")

    def streams(self, tab):
        return tab.requests.count(STREAM.format(url=self.url))


def an_intent_appears(demo):
    tab = demo.open()
    demo.shows(tab, "the first tab is live", lambda page: page["connection"] == LIVE)
    demo.send("First")
    page = demo.shows(tab, "an intent of the command line appears", lambda page: page["titles"] == ["First"])
    checks.equal("the badge counts it", page["badge"], "1")
    demo.send("Second")
    demo.arrives(tab, "Second", "the next one is offered, and shown on demand")
    checks.true("without a reload", tab.evaluate("globalThis.isSameDocument === true"))
    demo.picture(tab, "1-arrived")
    return tab


def two_tabs_share_one_stream(demo, first):
    second = demo.open()
    demo.shows(second, "the second tab is live through the first", lambda page: page["connection"] == THROUGH_ANOTHER)
    demo.send("Third")
    for name, tab in (("first", first), ("second", second)):
        demo.arrives(tab, "Third", f"an intent appears in the {name} tab")
    checks.equal("streams that each tab has opened", [demo.streams(first), demo.streams(second)], [1, 0])
    demo.picture(second, "2-second-tab")
    return second


def reading_changes_the_other(demo, first, second):
    first.evaluate(CLICK_READ % "Second")
    for name, tab in (("first", first), ("second", second)):
        page = demo.shows(tab, f"read in the first tab, seen in the {name}", lambda page: page["unread"] == ["Third", "First"])
        checks.equal(f"the badge of the {name} tab", page["badge"], "2")
    checks.equal("the second tab has changed nothing itself", [line for line in second.requests if not line.startswith("GET ")], [])
    for name, tab in (("first", first), ("second", second)):
        checks.equal(f"complaints of the {name} tab", list(tab.complaints), [])
    demo.picture(first, "3-read")


def offline_then_online(demo, first, second):
    for tab in (first, second):
        tab.set_offline(True)
    for name, tab in (("first", first), ("second", second)):
        demo.shows(tab, f"the {name} tab says that it is offline", lambda page: page["connection"] == OFFLINE)
    demo.send("Missed")
    time.sleep(AWAY)
    checks.equal("offline: nothing arrives", [tab.evaluate(PAGE)["titles"].count("Missed") for tab in (first, second)], [0, 0])
    demo.picture(first, "4-offline")
    for tab in (first, second):
        tab.set_offline(False)
    for name, tab in (("first", first), ("second", second)):
        demo.arrives(tab, "Missed", f"online again: the {name} tab catches up")
    demo.has_one_leader((first, second), "online again: one tab has the connection")


def a_frozen_leader_is_replaced(demo, first, second):
    """Chromium freezes the tab that has the connection. It handles messages meanwhile, and no timer."""
    leader, follower = (first, second) if first.evaluate(PAGE)["connection"] == LIVE else (second, first)
    leader.evaluate(BEAT)
    follower.evaluate(COUNT)
    checks.true("the leader runs", follower.wait("globalThis.count"))
    leader.freeze()
    time.sleep(AWAY)
    before = follower.evaluate("globalThis.count")
    time.sleep(AWAY)
    checks.equal("the leader is frozen: its beats", follower.evaluate("globalThis.count") - before, 0)
    demo.shows(follower, "the other tab takes the connection", lambda page: page["connection"] == LIVE, TAKEOVER)
    demo.send("Later")
    demo.arrives(follower, "Later", "an intent appears in the tab that took over")
    demo.picture(follower, "5-took-over")
    leader.thaw()
    demo.arrives(leader, "Later", "the former leader catches up")
    demo.has_one_leader((first, second), "one of the two tabs has the connection again", TAKEOVER)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the limit of time must not leave a browser behind
    with Browser(pathlib.Path(HOME, "chromium").resolve()) as browser:
        print(f"     page  {browser.version}", flush=True)
        demo = DemoPage(browser)
        try:
            first = an_intent_appears(demo)
            second = two_tabs_share_one_stream(demo, first)
            reading_changes_the_other(demo, first, second)
            offline_then_online(demo, first, second)
            a_frozen_leader_is_replaced(demo, first, second)
        except (BrowserError, AssertionError) as error:
            checks.note("every step", False, str(error))
    checks.finish()


if __name__ == "__main__":
    main()
