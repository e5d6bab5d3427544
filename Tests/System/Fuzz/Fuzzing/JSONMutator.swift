@testable import TidingsJSON

/// Changes a JSON document in place: values, names, order, nesting, duplicate members.
struct JSONMutator {
    /// Names with a meaning for the reader.
    let names: [String]
    /// Values with a meaning for the reader.
    let values: [JSON]

    func mutated(_ document: JSON, _ random: inout FuzzRandom) -> JSON {
        var document = document
        for _ in 0...random.size(upTo: 3) { change(&document, &random) }
        return document
    }

    private func change(_ value: inout JSON, _ random: inout FuzzRandom) {
        switch value {
        case .object(let object) where !object.isEmpty && !random.oneIn(8):
            value = .object(JSONObject(uniqueEntries: changed(object.entries, &random)))
        case .array(var elements) where !elements.isEmpty && !random.oneIn(8):
            let place = random.below(elements.count)
            switch random.below(8) {
            case 0: elements.remove(at: place)
            case 1: elements.append(contentsOf: repeatElement(elements[place], count: 1 + random.size(upTo: 200)))
            case 2: elements.insert(other(&random), at: place)
            default: change(&elements[place], &random)
            }
            value = .array(elements)
        default: value = random.oneIn(6) ? wrapped(value, &random) : other(&random)
        }
    }

    /// Works on entries instead of an object's subscript, because names may occur twice here.
    private func changed(_ entries: [JSONObject.Entry], _ random: inout FuzzRandom) -> [JSONObject.Entry] {
        var entries = entries
        let place = random.below(entries.count)
        switch random.below(12) {
        case 0: entries.remove(at: place)
        case 1: entries.append(entries[place])
        case 2: entries[place].key = name(&random)
        case 3: entries.append(JSONObject.Entry(key: name(&random), value: other(&random)))
        case 4: entries.swapAt(place, random.below(entries.count))
        case 5: entries[place].value = other(&random)
        case 6: for number in 0..<random.size(upTo: 100) { entries.append(JSONObject.Entry(key: "member\(number)", value: other(&random))) }
        default: change(&entries[place].value, &random)
        }
        return entries
    }

    private func name(_ random: inout FuzzRandom) -> String { random.oneIn(3) ? random.pick(Extremes.texts) : random.pick(names) }

    private func other(_ random: inout FuzzRandom) -> JSON {
        switch random.below(8) {
        case 0: .number(JSONNumber(verifiedText: random.pick(Extremes.numbers)))
        case 1: .string(random.pick(Extremes.texts))
        case 2: random.pick([.null, .bool(true), .bool(false), .array([]), .object(JSONObject())])
        case 3: .string(random.pick(names))
        default: random.pick(values)
        }
    }

    private func wrapped(_ value: JSON, _ random: inout FuzzRandom) -> JSON {
        var value = value
        for _ in 0..<random.size(upTo: 80) {
            value =
                random.oneIn(2)
                ? .array([value]) : .object(JSONObject(uniqueEntries: [JSONObject.Entry(key: random.pick(names), value: value)]))
        }
        return value
    }
}
