import TidingsCrypto
import TidingsJSON

/// The identity that messages are sent under: what counts of a service account's JSON key file, as the Google Cloud console gives it out.
struct ServiceAccount: Sendable {
    /// Where assertions are exchanged unless the file says otherwise.
    static let standardTokenURI = "https://oauth2.googleapis.com/token"

    var projectID: String
    var clientEmail: String
    /// Tells Google which of the account's keys signed.
    var privateKeyID: String?
    var privateKey: RSAPrivateKey
    var tokenURI: String

    /// Reads the file's text; no error holds any of the key.
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

    /// What may stand in the path of a URL as it is: `shop-7`, `example.com:shop` or a number.
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

    /// What is wrong with a key file, in words for an operator.
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
