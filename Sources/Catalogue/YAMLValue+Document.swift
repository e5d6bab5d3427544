import Yams

extension YAMLValue {
    /// Reads the single document of a YAML text.
    ///
    /// - Throws: ``CatalogueProblems`` with the one problem because of which the text cannot be read at all.
    init(document yaml: String, _ log: ProblemLog) throws(CatalogueProblems) {
        let problem: CatalogueProblem
        do {
            if YAMLDepth.isTooDeep(yaml) {
                problem = CatalogueProblem(path: "", message: "its mappings are nested deeper than \(YAMLDepth.maximum) levels")
            } else if try YAMLAliases.expandTooFar(in: yaml) {
                let message = "its aliases stand for more than \(YAMLAliases.maximumNodes) values"
                problem = CatalogueProblem(path: "", message: message)
            } else if let node = try Yams.compose(yaml: yaml) {
                self.init(node, at: "", log)
                return
            } else {
                problem = CatalogueProblem(path: "", message: "the file is empty")
            }
        } catch {
            problem = CatalogueProblem(yamlError: error)
        }
        throw CatalogueProblems(problems: [problem])
    }
}

extension CatalogueProblem {
    /// The error of the YAML reader, in one line.
    fileprivate init(yamlError: any Error) {
        switch yamlError as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _), .composer(_, let problem, let mark, _):
            self.init(path: "", message: "not YAML: \(problem) at column \(mark.column)", line: mark.line)
        case .duplicatedKeysInMapping(let duplicates, let context):
            self.init(path: "", message: "written twice: \(duplicates.joined(separator: ", "))", line: context.mark.line)
        case .reader(let problem, _, _, _):
            self.init(path: "", message: "not YAML: \(problem)")
        default:
            self.init(path: "", message: "not YAML: \(yamlError)")
        }
    }
}
