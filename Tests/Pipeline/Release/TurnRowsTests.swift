import Testing
import TidingsCore

@testable import TidingsPipeline
@testable import TidingsPostgres
@testable import TidingsStore

/// The rows of a releaser's next turn, after a turn that failed.
@Suite struct TurnRowsTests {
    fileprivate static let overflow = PostgresError(.server, sqlState: "22003", message: "out of range")
    fileprivate static let unreadable = PostgresError.decoding("an unknown word")

    private static func key(_ number: Int) -> DeliveryKey { DeliveryKey(NotificationID(high: 1, low: UInt64(number)), 0) }

    private static func delivery(_ number: Int, _ cause: PostgresError) -> UnwritableRow {
        UnwritableRow(delivery: key(number), cause: cause)
    }

    @Test func aRowOfANewerVersionIsPassedOver() {
        var rows = TurnRows(8)
        let pack = PackID(high: 2, low: 1)
        #expect(rows.failed(Self.delivery(1, Self.unreadable)) == .passOver(.delivery(Self.key(1))))
        #expect(rows.failed(UnwritableRow(pack: pack, cause: Self.unreadable)) == .passOver(.pack(pack)))
        #expect(rows.strangeDeliveries == [Self.key(1)] && rows.strangePacks == [pack])
        #expect(rows.limit == 8, "the other rows are as good as before")
    }

    /// A row whose values the database refuses fails in every version.
    @Test func aRowThatCannotBeWrittenIsParked() {
        var rows = TurnRows(8)
        #expect(rows.failed(Self.delivery(1, Self.overflow)) == .park(.delivery(Self.key(1))))
        #expect(rows.strangeDeliveries.isEmpty)
    }

    private static let start = ContinuousClock.now
    /// The row beyond the bound.
    private static let further = delivery(Releaser.strangeRows, unreadable)

    /// Passes over as many rows of a newer version as the bound allows.
    private static func fill(_ rows: inout TurnRows) {
        for number in 0..<Releaser.strangeRows {
            let row = delivery(number, unreadable)
            let step = rows.failed(row, at: start)
            #expect(step == .passOver(row.row))
        }
    }

    /// Each turn names the rows to pass over to the database, so their number is bounded. A parked row would never be due again, also for
    /// the newer version that can send it.
    @Test func aRowOfANewerVersionBeyondTheBoundMakesTheNextTurnWait() {
        var rows = TurnRows(8)
        Self.fill(&rows)
        #expect(rows.strangeDeliveries.count == Releaser.strangeRows)
        #expect(rows.failed(Self.further, at: Self.start) == .wait)
        #expect(rows.strangeDeliveries.isEmpty, "rows that the newer version has moved take no place any more")
        #expect(rows.failed(Self.further, at: Self.start) == .passOver(Self.further.row), "the loop goes on after the pause")
    }

    /// Each forgotten row fails a turn again, and each failure is a line of the log.
    @Test func rowsOfANewerVersionAreForgottenOnceAMinute() {
        var rows = TurnRows(8)
        Self.fill(&rows)
        _ = rows.failed(Self.further, at: Self.start)
        Self.fill(&rows)
        let next = Self.start + Reminder.interval
        #expect(rows.failed(Self.further, at: next - .seconds(1)) == .wait)
        #expect(rows.strangeDeliveries.count == Releaser.strangeRows)
        #expect(rows.failed(Self.further, at: next) == .wait)
        #expect(rows.strangeDeliveries.isEmpty)
    }

    @Test func aRowThatCannotBeWrittenIsParkedAlsoBeyondTheBound() {
        var rows = TurnRows(8)
        Self.fill(&rows)
        let unwritable = Self.delivery(Releaser.strangeRows, Self.overflow)
        #expect(rows.failed(unwritable, at: Self.start) == .park(unwritable.row))
        #expect(rows.strangeDeliveries.count == Releaser.strangeRows)
    }

    @Test(arguments: [TurnRowsTests.overflow, TurnRowsTests.unreadable])
    func aBatchThatFailsIsHalvedUntilItsRowIsAlone(error: PostgresError) {
        var rows = TurnRows(8)
        var limits: [Int] = []
        for _ in 0..<3 {
            #expect(rows.failed(error) == .halve)
            limits.append(rows.limit)
        }
        #expect(limits == [4, 2, 1])
        rows.succeeded()
        #expect(rows.limit == 2, "the row is gone, and the batches grow again")
        for _ in 0..<5 { rows.succeeded() }
        #expect(rows.limit == 8)
    }

    /// A single row would be named, so the fault is elsewhere: for example a word of a newer version in a table that every turn reads. Turns
    /// without a pause would then ask the database as fast as it answers.
    @Test(arguments: [TurnRowsTests.overflow, TurnRowsTests.unreadable])
    func aFaultOfNoRowMakesTheNextTurnWait(error: PostgresError) {
        var rows = TurnRows(2)
        #expect(rows.failed(error) == .halve)
        #expect(rows.failed(error) == .wait)
        #expect(rows.failed(error) == .wait && rows.limit == 1)
    }

    /// The database is away, or an operator must repair it: every row has the same fate.
    @Test func anyOtherFaultMakesTheNextTurnWait() {
        var rows = TurnRows(8)
        let faults: [any Error] = [
            PostgresError(.connectionLost, message: ""), PostgresError(.poolExhausted, message: ""),
            PostgresError(.server, sqlState: "42501", message: "no right"),
            PostgresError(.server, sqlState: "23514", message: "no partition"), CancellationError(),
        ]
        for fault in faults { #expect(rows.failed(fault) == .wait && rows.limit == 8, "\(fault)") }
    }
}
