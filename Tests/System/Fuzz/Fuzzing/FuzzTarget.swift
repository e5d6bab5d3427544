/// A reader of outside data, with the properties that must hold for every input.
protocol FuzzTarget {
    associatedtype Input

    /// The name of the target on the command line and in reports. Letters only.
    static var name: String { get }
    /// The first inputs of a run: usual ones, and every input that once broke a property.
    var corpus: [Input] { get }
    /// A further input, nearly always a changed corpus entry.
    func input(_ random: inout FuzzRandom) -> Input
    /// Feeds the input to the reader and checks the properties. Throws ``BrokenProperty`` if one does not hold.
    func feed(_ input: Input) throws -> FuzzVerdict
    /// The input as bytes, for the report of a failure.
    func bytes(of input: Input) -> [UInt8]
}

/// The answer of the reader. Any other end is a broken property.
enum FuzzVerdict {
    case accepted, refused
}

/// A property that does not hold.
struct BrokenProperty: Error, CustomStringConvertible {
    let description: String
}

/// Throws ``BrokenProperty`` unless `condition` holds. The explanation is made only in that case.
func require(_ condition: Bool, _ explanation: @autoclosure () -> String) throws {
    if !condition { throw BrokenProperty(description: explanation()) }
}
