import Foundation
import Glibc
import TidingsTestSupport

/// A producer in another language, with a third-party library: Python and `pika`, one process, a file as its ledger.
///
/// The producer publishes from the moment it is made, before any role has declared the topology. An id enters the ledger once its confirm
/// has arrived. Messages that were returned, refused or unanswered when the connection ended are published again.
struct PikaProducer: LedgerKeeper {
    /// The most messages that may be published and not yet confirmed.
    private static let mostInFlight = 256

    private let process: TestProcess
    private let ledgerPath: String

    init(url: String, source: String, folder: String) throws {
        let script = "\(folder)/producer.py"
        ledgerPath = "\(folder)/ledger"
        try Self.program.write(toFile: script, atomically: true, encoding: .utf8)
        // A producer that follows a killed one continues its ledger.
        guard FileManager.default.fileExists(atPath: ledgerPath) || FileManager.default.createFile(atPath: ledgerPath, contents: nil) else {
            throw TestSystemError(message: "cannot write \(ledgerPath)")
        }
        process = try TestProcess(
            ["/usr/bin/python3", script, url, source, ledgerPath, "\(FaultLoad.perSecond)", "\(Self.mostInFlight)"],
            environment: ProcessInfo.processInfo.environment)
    }

    func run() async throws {
        let result = await process.finish()
        guard result.exitCode == 0 else { throw TestSystemError(message: "the pika producer failed: \(result.errors)") }
    }

    func kill() { process.signal(SIGKILL) }

    func stop() { process.signal(SIGTERM) }

    func confirmed(atLeast count: Int) async throws {
        let isThere = try await reached(within: .seconds(120), every: .milliseconds(200)) { try ledger().count >= count }
        guard isThere else { throw TestSystemError(message: "the pika producer is stuck: \(process.errorsSoFar)") }
    }

    func ledger() throws -> [String] {
        try String(contentsOfFile: ledgerPath, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private static let program = """
        import collections, json, signal, sys, time
        import pika

        url, source, ledger_path, rate, most_in_flight = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4]), int(sys.argv[5])
        stopping = False

        def stop(*_):
            global stopping
            stopping = True
        signal.signal(signal.SIGTERM, stop)

        def event(number):
            urgent = number % 2 == 0
            webhook = number % 10 < 2 and number // 10 % 2 == 0
            recipient = f"hook-{number // 20 % 9}" if webhook else f"person-{number % 40}"
            kind = "orderUpdate" if urgent else "social"
            data = {"recipient": recipient, "title": f"Number {number}", "channels": ["inApp", "webhook"] if webhook else ["inApp"]}
            key = ("transactional." if urgent else "social.") + kind
            return key, json.dumps({"specversion": "1.0", "id": f"{source}-{number}", "source": source, "type": kind, "data": data})

        class Producer:
            def __init__(self, ledger):
                self.ledger = ledger
                self.began, self.made, self.again = time.monotonic(), 0, collections.deque()
                self.in_flight, self.returned = {}, set()

            def run(self):
                while not stopping:
                    self.connection = pika.SelectConnection(
                        pika.URLParameters(url), on_open_callback=lambda c: c.channel(on_open_callback=self.opened),
                        on_open_error_callback=lambda c, _: c.ioloop.stop(), on_close_callback=lambda c, _: c.ioloop.stop())
                    self.connection.ioloop.start()
                    self.again.extend(self.in_flight.values())
                    self.in_flight.clear()
                    self.returned.clear()
                    time.sleep(0.2)

            def opened(self, channel):
                self.channel, self.tag = channel, 0
                channel.add_on_close_callback(lambda *_: self.connection.is_open and self.connection.close())
                channel.add_on_return_callback(lambda _, __, properties, ___: self.returned.add(properties.message_id))
                channel.confirm_delivery(self.answered, callback=lambda _: self.tick())

            def tick(self):
                if stopping and not self.in_flight and self.connection.is_open: return self.connection.close()
                if not self.channel.is_open: return
                while not stopping and len(self.in_flight) < most_in_flight:
                    if self.again: number = self.again.popleft()
                    elif self.made < (time.monotonic() - self.began) * rate: number, self.made = self.made, self.made + 1
                    else: break
                    key, body = event(number)
                    self.tag += 1
                    self.in_flight[self.tag] = number
                    self.channel.basic_publish(
                        "tidings.intents", key, body, mandatory=True,
                        properties=pika.BasicProperties(
                            content_type="application/cloudevents+json", delivery_mode=2, message_id=f"{source}-{number}"))
                self.connection.ioloop.call_later(0.02, self.tick)

            def answered(self, frame):
                answer = frame.method
                tags = [t for t in self.in_flight if t <= answer.delivery_tag] if answer.multiple else [answer.delivery_tag]
                for number in [self.in_flight.pop(t) for t in tags]:
                    id = f"{source}-{number}"
                    if isinstance(answer, pika.spec.Basic.Ack) and id not in self.returned:
                        self.ledger.write(id + "\\n")
                    else:
                        self.returned.discard(id)
                        self.again.append(number)

        with open(ledger_path, "a", buffering=1) as ledger:
            Producer(ledger).run()
        """
}
