"""The whole inbox of a person, read page by page, and the tabs that follow its event stream."""

import math
import threading

from client import Stream


class Walk:
    """One reading of an inbox from the top to its end."""

    def __init__(self, someone, limit, pause=lambda: None):
        """The pause is called between two pages."""
        self.items, self.problem, cursor, first = [], None, "", None
        while cursor is not None:
            page = someone.get("/api/notifications", limit=limit, cursor=cursor)
            first = first or page
            self.items += page["notifications"]
            cursor = page["nextCursor"]
            pause()
        self.position, self.total, self.unread = first["position"], first["total"], first["unreadCount"]
        self.problem = self.fault()

    @property
    def ids(self):
        return [item["id"] for item in self.items]

    def fault(self):
        """What is wrong with this reading by itself. None if nothing is."""
        positions = [item["position"] for item in self.items]
        if len(set(self.ids)) < len(self.items):
            return f"{len(self.items) - len(set(self.ids))} items came twice"
        if positions != sorted(positions, reverse=True) or len(set(positions)) < len(positions):
            return "the items are not in the order of their positions"
        if positions and positions[0] > self.position:
            return "an item has a position above that of the page"
        return None


def look(item):
    """The parts of an item that a person sees change."""
    return item["position"], item["isRead"], item["state"]


def is_unread(item):
    return not item["isRead"] and item["state"] == "delivered"


class Follower(threading.Thread):
    """A tab of a person that follows the event stream. It reads the list once, and after that only what the events name.

    A subclass has `begin(walk)`, which shows a new list, and `change(news)`, which shows what an event names.
    """

    def __init__(self, someone):
        super().__init__(daemon=True)
        self.someone = someone
        self.resets, self.error, self.is_stopping = 0, None, False
        self.load()
        self.stream = Stream(someone, last_event_id=str(self.position))

    def run(self):
        try:
            while (event := self.stream.event(math.inf)) is not None:
                if event["event"] == "inbox":
                    self.take(event["data"])
            if not self.is_stopping:
                self.error = "the stream ended, or was silent for longer than two heartbeats"
        except Exception as error:
            self.error = error

    def stop(self):
        """Ends the stream. The thread then ends by itself."""
        self.is_stopping = True
        self.stream.end()
        self.join()

    def load(self):
        walk = Walk(self.someone, 100)
        self.position = walk.position
        self.begin(walk)

    def take(self, news):
        if news["reset"]:
            self.resets += 1
            self.load()
        else:
            self.change(news)
        self.position = max(self.position, news["position"])
