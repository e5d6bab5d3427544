import TidingsPostgres

/// The part of the schema that a module owns: its tables and views in the schema `tidings`, and the rights on them.
///
/// A part has no number. If its tables are missing, a migration creates the part, after the last step. If only some of them are missing
/// then, the migration fails. The rights of a part are given after those of `grants.sql`, and compared with the same list.
package struct SchemaPart: Sendable {
    /// The name of the module.
    package let module: String
    private let sql: String
    let tables: [Table]
    let rights: [Right]

    /// - Parameters:
    ///   - sql: creates the tables and the views. One transaction runs it.
    ///   - tables: every table that the SQL creates. At least one: without a table a migration would never find the part missing.
    ///   - rights: the rights of ``Right/Role``. The role of the processes has every right on tables, and reads views.
    package init(of module: String, sql: String, tables: [Table], rights: [Right]) {
        precondition(!tables.isEmpty, "the part of the module \(module) has no table")
        self.module = module
        self.sql = sql
        self.tables = tables
        self.rights = rights
    }

    /// The names of the tables.
    package var tableNames: [String] { tables.map(\.name) }

    /// A table with rows of people. It has row-level security: a person sees and writes the rows that name the person.
    package struct Table: Sendable {
        let name: String
        fileprivate let people: [String]

        /// - Parameter people: the columns that name the people who see a row. At least one. The tenant is in the column `tenant`.
        package init(_ name: String, seenBy people: String...) {
            precondition(!people.isEmpty, "no column of the table \(name) names a person")
            self.name = name
            self.people = people
        }
    }

    /// A right of a role on tables and views of the part.
    package struct Right: Sendable {
        package enum Role: String, Sendable, CaseIterable {
            /// One person. A process takes this role for the statements of the person.
            case app = "tidings_app"
            /// A process that only serves the API.
            case api = "tidings_run_api"
        }

        package enum Privilege: String, Sendable { case select, insert, update }

        let role: Role
        let privilege: Privilege
        let objects: [String]
        let columns: [String]

        /// - Parameters:
        ///   - objects: names of tables and views with white space between them.
        ///   - columns: names of columns with white space between them. Without any, the right is on the whole table.
        package init(_ role: Role, _ privilege: Privilege, on objects: String, columns: String = "") {
            self.role = role
            self.privilege = privilege
            self.objects = objects.split(whereSeparator: \.isWhitespace).map(String.init)
            self.columns = columns.split(whereSeparator: \.isWhitespace).map(String.init)
        }
    }
}

// MARK: - SQL

extension SchemaPart {
    /// The SQL that creates the part, with the row-level security of each table. "force" binds the owner too.
    package var creation: String {
        sql + "\n"
            + tables.map { table in
                """
                alter table tidings.\(table.name) enable row level security;
                alter table tidings.\(table.name) force row level security;

                """
            }.joined()
    }

    /// The script that gives the rights and makes the policies that are missing. Nothing changes if it runs again.
    var grants: String {
        let given = Right.Role.allCases.map { role in
            Self.when(
                "to_regrole('\(role.rawValue)') is not null",
                rights.filter { $0.role == role }.map { "grant \($0.phrase) to \(role.rawValue);" })
        }
        let made = tables.flatMap { policies(of: $0) }
        return "-- The module \(module).\ndo $$ begin\n\((given + made).joined(separator: ""))end $$;\n"
    }

    /// The statements that make the policies of a table. The API has one only if the API has a right on the table.
    private func policies(of table: Table) -> [String] {
        let isOfAPI = rights.contains { $0.role == .api && $0.objects.contains(table.name) }
        let policies: [(String, String, String)?] = [
            ("pipeline", Grants.run, "using (true) with check (true)"),
            isOfAPI ? ("api", Grants.runAPI, "using (true) with check (true)") : nil, ("person", Grants.app, "using (\(table.isOfPerson))"),
        ]
        return policies.compactMap { $0 }.map { name, role, rows in
            Self.when(
                """
                to_regrole('\(role)') is not null and not exists (
                        select from pg_policy where polrelid = 'tidings.\(table.name)'::regclass and polname = '\(name)')
                """, ["create policy \(name) on tidings.\(table.name) to \(role) \(rows);"])
        }
    }

    /// The rights on whole tables and views, as further rows of the list of ``Grants``.
    var tableRights: String {
        rights.filter(\.columns.isEmpty).map { right in
            ", ('\(right.role.rawValue)', '\(right.privilege.rawValue)', 'tidings', '\(right.objects.joined(separator: " "))')"
        }.joined()
    }

    /// The rights on columns, as further rows of the list of ``Grants``.
    var columnRights: String {
        rights.filter { !$0.columns.isEmpty }.flatMap { right in
            right.objects.map { object in
                ", ('\(right.role.rawValue)', '\(right.privilege.rawValue)', '\(object)', '\(right.columns.joined(separator: " "))')"
            }
        }.joined()
    }

    private static func when(_ condition: String, _ statements: [String]) -> String {
        "    if \(condition) then\n" + statements.map { "        \($0)\n" }.joined() + "    end if;\n"
    }
}

extension SchemaPart.Table {
    /// The condition on a row that the person whom the transaction names may see. Without a name there is no row.
    fileprivate var isOfPerson: String {
        let person = "current_setting('tidings.recipient', true)"
        let isNamed = people.count == 1 ? "\(people[0]) = \(person)" : "\(person) in (\(people.joined(separator: ", ")))"
        return "tenant = current_setting('tidings.tenant', true) and \(isNamed)"
    }
}

extension SchemaPart.Right {
    /// Such as `update (passed) on tidings.likes`.
    fileprivate var phrase: String {
        let named = columns.isEmpty ? "" : " (\(columns.joined(separator: ", ")))"
        return "\(privilege.rawValue)\(named) on \(objects.map { "tidings.\($0)" }.joined(separator: ", "))"
    }
}
