/// Something that reads from outside, and what must hold of whatever it is given.
protocol FuzzTarget {
    associatedtype Input

    /// Names the target on the command line and in reports: letters only.
    static var name: String { get }
    /// Made before any other: usual inputs, and every one that once broke something.
    var corpus: [Input] { get }
    /// Another input, nearly always a corpus entry that was changed.
    func input(_ random: inout FuzzRandom) -> Input
    /// Feeds the input in and checks the properties; throws ``BrokenProperty`` when one does not hold.
    func feed(_ input: Input) throws -> FuzzVerdict
    /// The input as bytes, to be shown when it broke something.
    func bytes(of input: Input) -> [UInt8]
}

/// What the reader said; anything else than one of the two is a broken property.
enum FuzzVerdict {
    case accepted, refused
}

/// A property that does not hold.
struct BrokenProperty: Error, CustomStringConvertible {
    let description: String
}

/// Says what is wrong unless `condition` holds. The explanation is made only then.
func require(_ condition: Bool, _ explanation: @autoclosure () -> String) throws {
    if !condition { throw BrokenProperty(description: explanation()) }
}
