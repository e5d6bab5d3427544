/// The parts of a locale's name as POSIX, ICU and Java write it: `language_script_region_variant.charset@modifier`.
struct LocaleName {
    private let language: Substring
    private var script: String?
    private var region: Substring?
    private var variants: [Substring] = []
    /// The parts from the first single letter on, such as `u-nu-thai`.
    private var extensions: [Substring] = []

    /// Nil if the text does not begin with a language of two or three letters.
    init?(_ text: String) {
        let (name, modifier) = Self.halves(of: text[...], at: "@")
        // Java writes script and extensions after the variant: `zh_TW_#Hant`.
        let (base, end) = Self.halves(of: name, at: "#")
        let parts = Self.parts(of: Self.halves(of: base, at: ".").0)
        guard let language = parts.first, language.startIndex == text.startIndex, (2...3).contains(language.utf8.count),
            language.utf8.allSatisfy(Self.isLetter)
        else { return nil }
        self.language = language
        take(Array(parts.dropFirst()) + Self.parts(of: end))
        take(modifier: modifier)
    }

    /// The parts in the order and the case of BCP 47.
    var tag: String {
        var words = [language.lowercased()]
        if let script { words.append(script.prefix(1).uppercased() + script.dropFirst().lowercased()) }
        if let region { words.append(region.uppercased()) }
        words += (variants + extensions).map { $0.lowercased() }
        return words.joined(separator: "-")
    }

    private mutating func take(_ parts: [Substring]) {
        for part in parts where Self.isPlain(part) {
            let (count, isLetters) = (part.utf8.count, part.utf8.allSatisfy(Self.isLetter))
            if !extensions.isEmpty || count == 1 {
                extensions.append(part)
            } else if isLetters, count == 4, script == nil {
                script = String(part)
            } else if isLetters ? count == 2 : count == 3 {
                // Java repeats the region as a variant in `th_TH_TH`.
                region = region ?? part
            } else if (5...8).contains(count) || (count == 4 && !isLetters) {
                variants.append(part)
            }
        }
    }

    /// Takes a modifier of POSIX, such as `latin`, or the keywords of ICU, such as `calendar=buddhist;rg=gbzzzz`.
    private mutating func take(modifier: Substring) {
        var words: [Substring] = []
        for keyword in modifier.split(separator: ";") {
            let (name, value) = Self.halves(of: keyword, at: "=")
            if value.isEmpty {
                script = script ?? Self.scripts[name.lowercased()]
                if name == "valencia" { variants.append(name) }
                continue
            }
            let key = Self.keys[name.lowercased()] ?? name
            let types = Self.parts(of: Self.types[value.lowercased()] ?? value)
            guard key.utf8.count == 2, types.allSatisfy({ (3...8).contains($0.utf8.count) }), ([key] + types).allSatisfy(Self.isPlain)
            else {
                continue
            }
            words += [key] + types
        }
        // A tag has its extension `u` once.
        if extensions.isEmpty, !words.isEmpty { extensions = ["u"] + words }
    }

    /// The scripts that POSIX names in words.
    private static let scripts = ["arabic": "Arab", "cyrillic": "Cyrl", "devanagari": "Deva", "latin": "Latn"]

    /// The keys of Unicode (UTS 35) for the keywords that ICU writes out.
    private static let keys: [String: Substring] = [
        "calendar": "ca", "collation": "co", "currency": "cu", "hours": "hc", "measure": "ms", "numbers": "nu",
    ]

    /// The types of Unicode for words of ICU that are too long for a tag.
    private static let types: [String: Substring] = ["dictionary": "dict", "gregorian": "gregory", "phonebook": "phonebk"]

    private static func halves(of text: Substring, at separator: Character) -> (Substring, Substring) {
        guard let place = text.firstIndex(of: separator) else { return (text, "") }
        return (text[..<place], text[text.index(after: place)...])
    }

    private static func parts(of text: Substring) -> [Substring] { text.split { $0 == "_" || $0 == "-" } }

    private static func isPlain(_ part: Substring) -> Bool { part.utf8.allSatisfy { isLetter($0) || isDigit($0) } }
    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
