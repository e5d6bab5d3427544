import Foundation
import TidingsJSON

/// The plans that `auto_explain` wrote into PostgreSQL's log, in JSON.
struct LoggedPlans {
    struct Plan {
        let statement: String
        let isCompiled: Bool
        let returned: Int
        /// Each scan of a table of the schema.
        let scans: [Scan]

        /// The rows that all scans read.
        var read: Int { scans.reduce(0) { $0 + $1.read } }
    }

    struct Scan {
        let table: String
        let isWhole: Bool
        /// The rows of all loops, with those that a filter removed.
        let read: Int
    }

    let all: [Plan]

    /// - Parameter log: a log whose lines begin with a time, and whose further lines of a message begin with a tab.
    init(log: String) throws {
        var plans: [Plan] = []
        var lines = log.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = lines.popFirst() {
            guard line.hasSuffix(" plan:") else { continue }
            var text: [Substring] = []
            while let next = lines.first, next.hasPrefix("\t") {
                text.append(next.dropFirst())
                lines.removeFirst()
            }
            plans.append(try Plan(try JSON.parse(Array(text.joined(separator: "\n").utf8), limits: JSONLimits())))
        }
        all = plans
    }
}

extension LoggedPlans.Plan {
    fileprivate init(_ json: JSON) throws {
        statement = json["Query Text"]?.stringValue ?? ""
        isCompiled = json["JIT"] != nil
        let root = json["Plan"] ?? .null
        returned = Self.rows("Actual Rows", of: root)
        var scans: [LoggedPlans.Scan] = []
        Self.collect(root, into: &scans)
        self.scans = scans
    }

    private static func collect(_ node: JSON, into scans: inout [LoggedPlans.Scan]) {
        if let table = node["Relation Name"]?.stringValue, node["Node Type"]?.stringValue?.contains("Scan") == true {
            let isWhole = node["Node Type"]?.stringValue == "Seq Scan"
            let read = ["Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck"].reduce(0) { $0 + rows($1, of: node) }
            scans.append(LoggedPlans.Scan(table: table, isWhole: isWhole, read: read))
        }
        for part in node["Plans"]?.arrayValue ?? [] { collect(part, into: &scans) }
    }

    /// A figure of a node, which PostgreSQL gives for one loop, for all loops.
    private static func rows(_ name: String, of node: JSON) -> Int {
        (node[name]?.intValue ?? 0) * (node["Actual Loops"]?.intValue ?? 1)
    }
}
