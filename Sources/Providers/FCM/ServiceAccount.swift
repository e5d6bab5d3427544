import TidingsCrypto
import TidingsJSON

/// The identity that sends messages: the needed members of a service account's JSON key file from the Google Cloud console.
struct ServiceAccount: Sendable {
    /// The address for exchanging assertions, unless the file names another.
    static let standardTokenURI = "https://oauth2.googleapis.com/token"

    var projectID: String
    var clientEmail: String
    /// The id of the signing key, so that Google knows which of the account's keys signed.
    var privateKeyID: String?
    var privateKey: RSAPrivateKey
    var tokenURI: String

    /// Reads the file's text. No error contains any part of the key.
    init(json text: String) throws(Problem) {
        let json: JSON
        do throws(JSONParseError) {
            json = try JSON.parse(text)
        } catch {
            throw .notJSON(error.description)
        }
        guard json["type"]?.stringValue == "service_account" else { throw .otherType(json["type"]?.stringValue) }
        projectID = try Self.member("project_id", of: json)
        guard Self.isProjectID(projectID) else { throw .notAProjectID }
        clientEmail = try Self.member("client_email", of: json)
        privateKeyID = json["private_key_id"]?.stringValue
        let pem = try Self.member("private_key", of: json)
        do throws(RSAKeyError) {
            privateKey = try RSAPrivateKey(pem: pem)
        } catch {
            throw .unusableKey(error)
        }
        tokenURI = json["token_uri"]?.stringValue ?? Self.standardTokenURI
        guard tokenURI.hasPrefix("https://") || tokenURI.hasPrefix("http://") else { throw .notATokenURI }
    }

    /// Whether the text is a project id or number, such as `shop-7` or `example.com:shop`. Such a text may stand in the path of a URL
    /// unchanged.
    static func isProjectID(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_.:".utf8.contains(byte)
                }
            }
    }

    private static func member(_ name: String, of json: JSON) throws(Problem) -> String {
        guard let value = json[name]?.stringValue, !value.isEmpty else { throw .missing(name) }
        return value
    }

    /// The reason why a key file cannot be used, in words for an operator.
    enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        case notJSON(String)
        case otherType(String?)
        case missing(String)
        case notAProjectID
        case unusableKey(RSAKeyError)
        case notATokenURI

        var description: String {
            switch self {
            case .notJSON(let reason): "the key file is not JSON: \(reason)"
            case .otherType(let type):
                "the key file's type is \(type.map { "\"\($0.prefix(40))\"" } ?? "missing"), not \"service_account\":"
                    + " make a JSON key for a service account in the Google Cloud console"
            case .missing(let name): "the key file has no \(name)"
            case .notAProjectID: "the key file's project_id is not the id of a project"
            case .unusableKey(let error): "the key file's private_key cannot be used: \(error)"
            case .notATokenURI: "the key file's token_uri does not begin with https:// or http://"
            }
        }
    }
}
