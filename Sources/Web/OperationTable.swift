package import HTTPTypes

/// Every operation, found by method and path.
package struct OperationTable<Access: OperationAccess, Call: Sendable>: Sendable {
    package enum Match: Sendable {
        case found(Operation<Access, Call>, parameters: [String: String])
        /// The path exists for other methods.
        case wrongMethod(allowed: [HTTPRequest.Method])
        case unknownPath
    }

    package let operations: [Operation<Access, Call>]
    /// The segments of each operation's path. Nil means a parameter.
    private let templates: [(segments: [Segment], operation: Operation<Access, Call>)]

    private enum Segment: Sendable {
        case fixed(String)
        case parameter(String)
    }

    package init(_ operations: [Operation<Access, Call>]) {
        self.operations = operations
        templates = operations.map { operation in
            let segments = operation.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { segment in
                segment.hasPrefix("{") ? Segment.parameter(String(segment.dropFirst().dropLast())) : .fixed(String(segment))
            }
            return (segments, operation)
        }
    }

    /// The operation of a request, with the decoded target and the parameters of the path.
    ///
    /// Throws a problem if the target cannot be read, if no operation has the path, or if only other methods have it. The last problem names
    /// these methods in the header `Allow`.
    ///
    /// - Parameters:
    ///   - path: the path, still percent-encoded.
    ///   - query: the query, still percent-encoded. Nil if there is none.
    package func find(_ method: HTTPRequest.Method, path: Substring, query: Substring?) throws(Problem) -> (
        operation: Operation<Access, Call>, target: RequestTarget, parameters: [String: String]
    ) {
        guard let target = RequestTarget(path: path, query: query) else {
            throw Problem(.malformed, "The path or the query has a broken escape, a NUL or bytes that are no UTF-8.")
        }
        switch match(method, target.segments) {
        case .found(let operation, let parameters): return (operation, target, parameters)
        case .unknownPath: throw Problem(.notFound, "There is no such path.")
        case .wrongMethod(let allowed):
            let names = allowed.map(\.rawValue).joined(separator: ", ")
            throw Problem(.methodNotAllowed, "The path takes \(names).", headers: [.allow: names])
        }
    }

    /// A path with a fixed word is preferred to one with a parameter in its place.
    package func match(_ method: HTTPRequest.Method, _ path: [String]) -> Match {
        var best: (fixed: Int, operation: Operation<Access, Call>, parameters: [String: String])?
        var others: [(fixed: Int, methods: [HTTPRequest.Method])] = []
        for (segments, operation) in templates where segments.count == path.count {
            guard let (fixed, parameters) = Self.parameters(of: segments, in: path) else { continue }
            if operation.methods.contains(method) {
                if fixed > best?.fixed ?? -1 { best = (fixed, operation, parameters) }
            } else {
                others.append((fixed, operation.methods))
            }
        }
        let mostFixed = others.map(\.fixed).max() ?? -1
        if let best, best.fixed >= mostFixed { return .found(best.operation, parameters: best.parameters) }
        guard mostFixed >= 0 else { return .unknownPath }
        let allowed = others.filter { $0.fixed == mostFixed }.flatMap(\.methods)
        return .wrongMethod(allowed: Array(Set(allowed)).sorted { $0.rawValue < $1.rawValue })
    }

    private static func parameters(of segments: [Segment], in path: [String]) -> (fixed: Int, [String: String])? {
        var (fixed, parameters) = (0, [String: String]())
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .fixed(let word):
                guard word.utf8.elementsEqual(text.utf8) else { return nil }
                fixed += 1
            case .parameter(let name):
                guard !text.isEmpty else { return nil }
                parameters[name] = text
            }
        }
        return (fixed, parameters)
    }
}
