/// Returns any text of a message in a form that PostgreSQL can store: a NUL byte becomes the replacement character.
func storable(_ text: String) -> String {
    text.utf8.contains(0) ? String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 }) : text
}

func storable(_ text: String?) -> String? { text.map { storable($0) } }
