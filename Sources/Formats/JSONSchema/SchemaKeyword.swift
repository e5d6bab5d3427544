/// The keywords of draft 2020-12 that a schema may use here.
enum SchemaKeyword: String, CaseIterable {
    // Core.
    case schema = "$schema"
    case id = "$id"
    case ref = "$ref"
    case anchor = "$anchor"
    case dynamicRef = "$dynamicRef"
    case dynamicAnchor = "$dynamicAnchor"
    case defs = "$defs"
    case comment = "$comment"
    // Applicators.
    case allOf, anyOf, oneOf, not
    case `if`, then, `else`
    case dependentSchemas
    case prefixItems, items, contains
    case properties, patternProperties, additionalProperties, propertyNames
    // Unevaluated.
    case unevaluatedItems, unevaluatedProperties
    // Validation.
    case type, const, `enum`
    case multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum
    case maxLength, minLength, pattern
    case maxItems, minItems, uniqueItems, maxContains, minContains
    case maxProperties, minProperties, required, dependentRequired
    // Format, and keywords that only annotate.
    case format
    case contentEncoding, contentMediaType, contentSchema
    case title, description, `default`, deprecated, readOnly, writeOnly, examples

    /// The place of subschemas in a keyword's value.
    enum Subschemas { case none, one, list, named }

    var subschemas: Subschemas {
        switch self {
        case .not, .if, .then, .else, .items, .contains, .additionalProperties, .propertyNames, .unevaluatedItems,
            .unevaluatedProperties, .contentSchema:
            .one
        case .allOf, .anyOf, .oneOf, .prefixItems: .list
        case .defs, .dependentSchemas, .properties, .patternProperties: .named
        default: .none
        }
    }

    /// Known names that are refused, with the reason for the error message.
    static let refused: [String: String] = [
        "$vocabulary": "only a metaschema uses it, and schemas with a vocabulary of their own are not carried out",
        "$recursiveRef": "draft 2019-09 wrote this; use $dynamicRef",
        "$recursiveAnchor": "draft 2019-09 wrote this; use $dynamicAnchor",
        "definitions": "drafts before 2019-09 wrote this; use $defs",
        "dependencies": "drafts before 2019-09 wrote this; use dependentRequired or dependentSchemas",
        "additionalItems": "drafts before 2020-12 wrote this; use prefixItems and items",
        "id": "draft 4 wrote this; use $id",
    ]
}
