/// A property that `\p{…}` can name.
enum UnicodeProperty: Sendable {
    case category(Set<Unicode.GeneralCategory>)
    case any, ascii, alphabetic, lowercase, uppercase, whiteSpace, emoji

    /// Finds a property by its name or alias in PropertyAliases.txt and PropertyValueAliases.txt. Nil when it is not known here.
    init?(name: String) {
        switch name {
        case "Any": self = .any
        case "ASCII": self = .ascii
        case "Alphabetic", "Alpha": self = .alphabetic
        case "Lowercase", "Lower": self = .lowercase
        case "Uppercase", "Upper": self = .uppercase
        case "White_Space", "space": self = .whiteSpace
        case "Emoji": self = .emoji
        default:
            let categories = Self.categories.filter { $0.names.contains(name) }.flatMap(\.members)
            guard !categories.isEmpty else { return nil }
            self = .category(Set(categories))
        }
    }

    func holds(for scalar: UnicodeScalar) -> Bool {
        let properties = scalar.properties
        return switch self {
        case .category(let categories): categories.contains(properties.generalCategory)
        case .any: true
        case .ascii: scalar.isASCII
        case .alphabetic: properties.isAlphabetic
        case .lowercase: properties.isLowercase
        case .uppercase: properties.isUppercase
        case .whiteSpace: properties.isWhitespace
        case .emoji: properties.isEmoji
        }
    }

    private static let categories: [(names: [String], members: [Unicode.GeneralCategory])] = [
        (["L", "Letter"], [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter]),
        (["LC", "Cased_Letter"], [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]),
        (["Lu", "Uppercase_Letter"], [.uppercaseLetter]),
        (["Ll", "Lowercase_Letter"], [.lowercaseLetter]),
        (["Lt", "Titlecase_Letter"], [.titlecaseLetter]),
        (["Lm", "Modifier_Letter"], [.modifierLetter]),
        (["Lo", "Other_Letter"], [.otherLetter]),
        (["M", "Mark", "Combining_Mark"], [.nonspacingMark, .spacingMark, .enclosingMark]),
        (["Mn", "Nonspacing_Mark"], [.nonspacingMark]),
        (["Mc", "Spacing_Mark"], [.spacingMark]),
        (["Me", "Enclosing_Mark"], [.enclosingMark]),
        (["N", "Number"], [.decimalNumber, .letterNumber, .otherNumber]),
        (["Nd", "Decimal_Number", "digit"], [.decimalNumber]),
        (["Nl", "Letter_Number"], [.letterNumber]),
        (["No", "Other_Number"], [.otherNumber]),
        (
            ["P", "Punctuation", "punct"],
            [
                .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
                .otherPunctuation,
            ]
        ),
        (["Pc", "Connector_Punctuation"], [.connectorPunctuation]),
        (["Pd", "Dash_Punctuation"], [.dashPunctuation]),
        (["Ps", "Open_Punctuation"], [.openPunctuation]),
        (["Pe", "Close_Punctuation"], [.closePunctuation]),
        (["Pi", "Initial_Punctuation"], [.initialPunctuation]),
        (["Pf", "Final_Punctuation"], [.finalPunctuation]),
        (["Po", "Other_Punctuation"], [.otherPunctuation]),
        (["S", "Symbol"], [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol]),
        (["Sm", "Math_Symbol"], [.mathSymbol]),
        (["Sc", "Currency_Symbol"], [.currencySymbol]),
        (["Sk", "Modifier_Symbol"], [.modifierSymbol]),
        (["So", "Other_Symbol"], [.otherSymbol]),
        (["Z", "Separator"], [.spaceSeparator, .lineSeparator, .paragraphSeparator]),
        (["Zs", "Space_Separator"], [.spaceSeparator]),
        (["Zl", "Line_Separator"], [.lineSeparator]),
        (["Zp", "Paragraph_Separator"], [.paragraphSeparator]),
        (["C", "Other"], [.control, .format, .surrogate, .privateUse, .unassigned]),
        (["Cc", "Control", "cntrl"], [.control]),
        (["Cf", "Format"], [.format]),
        (["Co", "Private_Use"], [.privateUse]),
        (["Cn", "Unassigned"], [.unassigned]),
    ]
}
