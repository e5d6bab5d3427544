import TidingsCore
package import TidingsJSON

/// Reads the members of a JSON object. Every fault is collected, so that the caller learns all of them at once, up to ``Problem/mostFaults``.
package struct BodyReader: Sendable {
    private let object: JSONObject
    private var faults: [Problem.Field] = []
    /// The members that have a fault and were left out, each with the fault. The answer names them.
    package private(set) var ignored: [Problem.Field] = []
    /// The members that were taken, and have an effect that the caller may not expect.
    package private(set) var notes: [Problem.Field] = []

    /// - Parameter known: the names of the members. Any other member is a fault: if it were ignored, the answer would tell of a change that
    ///   was not made.
    package init(_ object: JSONObject, known: [String]) {
        self.object = object
        for name in object.keys where !known.contains(where: { isSameText($0, name) }) {
            refuse(name, Problem.unknown("member", name, among: known))
        }
    }

    /// The text of an optional member. Nil if the member is missing, null or empty.
    ///
    /// - Parameter bytes: the allowed length in UTF-8.
    package mutating func text(_ name: String, bytes: ClosedRange<Int> = 1...256) -> String? {
        guard let value = present(name) else { return nil }
        guard let written = value.stringValue else {
            refuse(name, "must be a string, not \(value.typeName)")
            return nil
        }
        guard let text = written.ifPresent else { return nil }
        guard bytes.contains(text.utf8.count) else {
            refuse(name, "must have \(bytes.lowerBound) to \(bytes.upperBound) bytes")
            return nil
        }
        return text
    }

    /// The text of a required member. An empty text counts as missing.
    package mutating func requiredText(_ name: String, bytes: ClosedRange<Int> = 1...256) -> String {
        let before = faults.count
        if let text = text(name, bytes: bytes) { return text }
        if faults.count == before { refuse(name, "is missing") }
        return ""
    }

    package mutating func bool(_ name: String) -> Bool? {
        guard let value = present(name) else { return nil }
        guard let bool = value.boolValue else {
            refuse(name, "must be true or false")
            return nil
        }
        return bool
    }

    package mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = present(name) else { return nil }
        guard let integer = value.intValue, range.contains(integer) else {
            refuse(name, "must be a whole number between \(range.lowerBound) and \(range.upperBound)")
            return nil
        }
        return integer
    }

    /// One word of a closed list. Nil if the member is missing, null or empty.
    package mutating func word<Word: RawRepresentable & CaseIterable>(_ name: String, _ type: Word.Type = Word.self) -> Word?
    where Word.RawValue == String {
        guard let text = text(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            refuse(name, "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
            return nil
        }
        return word
    }

    /// One word of a closed list, in a member that must be there. Nil if the member has a fault.
    package mutating func requiredWord<Word: RawRepresentable & CaseIterable>(_ name: String, _ type: Word.Type = Word.self) -> Word?
    where Word.RawValue == String {
        let before = faults.count
        if let word = word(name, type) { return word }
        if faults.count == before { refuse(name, "is missing") }
        return nil
    }

    /// The text of a member that is context: a fault leaves the member out, and refuses the body only if `isStrict`. Nil if the member is
    /// missing, null, empty or left out.
    package mutating func context(_ name: String, strictly isStrict: Bool) -> String? {
        guard let value = present(name) else { return nil }
        guard let text = value.stringValue else {
            let detail = "must be a string, not \(value.typeName)"
            isStrict ? refuse(name, detail) : leaveOut(name, detail)
            return nil
        }
        return text.ifPresent
    }

    /// Whether the object has the member, null included.
    package func has(_ name: String) -> Bool { object[name] != nil }

    /// A member's value. Nil if the member is missing or null.
    package func present(_ name: String) -> JSON? {
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    package mutating func refuse(_ name: String, _ detail: @autoclosure () -> String) { refuse(name, in: "", detail()) }

    /// Refuses a member of a member.
    ///
    /// - Parameter place: the JSON Pointer of the object that has the member.
    package mutating func refuse(_ name: String, in place: String, _ detail: @autoclosure () -> String) {
        guard faults.count < Problem.mostFaults else { return }
        faults.append(.body(JSONPointer.appending(name, to: place), detail()))
    }

    /// Notes a member that is left out, with the fault for which it is.
    package mutating func leaveOut(_ name: String, _ detail: String) {
        ignored.append(.body(JSONPointer.appending(name, to: ""), detail))
    }

    /// Notes a member that is taken, with its unexpected effect.
    package mutating func note(_ name: String, _ detail: String) {
        notes.append(.body(JSONPointer.appending(name, to: ""), detail))
    }

    /// Whether one of the members has a fault for which the body is refused.
    package func refuses(_ names: String...) -> Bool {
        let pointers = names.map { JSONPointer.appending($0, to: "") }
        return faults.contains { fault in fault.pointer.map { pointers.contains($0) } == true }
    }

    /// Throws a problem if any member was faulty.
    package func finish() throws {
        if !faults.isEmpty { throw Problem(.invalid, fields: faults) }
    }
}
