import Foundation
import Glibc
import TidingsTestSupport

/// A producer in another language, with a library that is not ours: Python and `pika`, one process, a file as its ledger.
///
/// It publishes from the moment it is made, before any role has declared where to. Each of its connections waits for the confirm of one
/// message before it publishes the next, and writes the id down only then.
struct PikaProducer: LedgerKeeper {
    /// Connections that publish at once: one alone waits for the broker's disk half of the time.
    private static let connections = 8

    private let process: TestProcess
    private let ledgerPath: String

    init(url: String, source: String, folder: String) throws {
        let script = "\(folder)/producer.py"
        ledgerPath = "\(folder)/ledger"
        try Self.program.write(toFile: script, atomically: true, encoding: .utf8)
        // One that was killed goes on with its ledger.
        guard FileManager.default.fileExists(atPath: ledgerPath) || FileManager.default.createFile(atPath: ledgerPath, contents: nil) else {
            throw TestSystemError(message: "cannot write \(ledgerPath)")
        }
        let perConnection = Double(FaultLoad.perSecond) / Double(Self.connections)
        process = try TestProcess(
            ["/usr/bin/python3", script, url, source, ledgerPath, "\(Self.connections)", "\(perConnection)"],
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
        import json, os, signal, sys, threading, time, traceback
        import pika

        url, source, ledger_path, connections, rate = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5])
        stopping = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: stopping.set())
        ledger = open(ledger_path, "a", buffering=1)
        writing = threading.Lock()

        def event(number, id):
            urgent = number % 2 == 0
            webhook = number % 10 < 2 and number // 10 % 2 == 0
            recipient = f"hook-{number // 20 % 9}" if webhook else f"person-{number % 40}"
            kind = "orderUpdate" if urgent else "social"
            data = {"recipient": recipient, "title": f"Number {number}", "channels": ["inApp", "webhook"] if webhook else ["inApp"]}
            key = ("transactional." if urgent else "social.") + kind
            return key, json.dumps({"specversion": "1.0", "id": id, "source": source, "type": kind, "data": data})

        def connect():
            parameters = pika.URLParameters(url)
            parameters.connection_attempts, parameters.retry_delay = 600, 0.2
            channel = pika.BlockingConnection(parameters).channel()
            channel.confirm_delivery()
            return channel

        def produce(worker):
            channel, number, began = connect(), worker, time.monotonic()
            sent = 0
            while not stopping.is_set():
                time.sleep(max(0, began + sent / rate - time.monotonic()))
                id = f"{source}-{number}"
                key, body = event(number, id)
                while True:
                    try:
                        channel.basic_publish(
                            "tidings.intents", key, body, mandatory=True,
                            properties=pika.BasicProperties(
                                content_type="application/cloudevents+json", delivery_mode=2, message_id=id))
                        break
                    except (pika.exceptions.AMQPError, OSError):
                        channel = connect()
                with writing:
                    ledger.write(id + "\\n")
                number += connections
                sent += 1
            channel.connection.close()

        def work(worker):
            try:
                produce(worker)
            except BaseException:
                traceback.print_exc()
                os._exit(1)

        workers = [threading.Thread(target=work, args=(worker,)) for worker in range(connections)]
        for worker in workers: worker.start()
        for worker in workers: worker.join()
        """
}
