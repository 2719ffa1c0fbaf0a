internal import ByteOperations
internal import UnifiedSchema

/// What instance discovery says of clouds: which hosts mean the same, which to send requests to, and under which entries
/// are stored.
///
/// A cache knows the clouds that the MSAL libraries ship. What it is told beside that adds clouds, and hosts to clouds;
/// it never makes two clouds one (what would is refused whole), and of a cloud that is shipped it never makes a host
/// preferred that is not shipped too. Take it only from a server that you trust, over TLS: requests with
/// refresh tokens go where it says.
///
/// ```swift
/// try cache.learn(try CloudMetadata(discoveryJSON: body))
/// ```
public struct CloudMetadata: Hashable, Sendable {
    let clouds: [Cloud]

    /// The most bytes that a response may have.
    public static let maximumByteCount = 256 << 10
    /// The most clouds that a response may have, and the most hosts of each, the preferred ones included.
    public static let maximumCount = 64

    /// Reads the body of a response of the endpoint `/common/discovery/instance`.
    ///
    /// - Parameter discoveryJSON: an object with a member `metadata`: a list of objects with `preferred_network`,
    ///   `preferred_cache` and `aliases`. Other members do not matter.
    /// - Throws: ``TokenCacheError/Code/tooLarge``, ``TokenCacheError/Code/malformedDocument`` for what is not such an
    ///   object or names a host that is none. Nothing of it is used then.
    public init(discoveryJSON: [UInt8]) throws(TokenCacheError) {
        guard discoveryJSON.count <= CloudMetadata.maximumByteCount else {
            throw TokenCacheError(.tooLarge, detail: "discovery data of \(discoveryJSON.count) bytes")
        }
        let document: JSONValue
        do {
            document = try JSONValue(parsing: discoveryJSON.rawSpan)
        } catch {
            throw TokenCacheError(error)
        }
        guard case .array(let entries)? = document["metadata"] else {
            throw CloudMetadata.malformed("discovery data has no list of clouds")
        }
        guard entries.count <= CloudMetadata.maximumCount else {
            throw CloudMetadata.malformed("discovery data has too many clouds")
        }
        var clouds: [Cloud] = []
        for entry in entries { clouds.append(try CloudMetadata.cloud(entry)) }
        let hosts = clouds.flatMap(\.hosts)
        guard Set(hosts).count == hosts.count else { throw CloudMetadata.malformed("a host stands in two clouds") }
        self.clouds = clouds
    }

    static func cloud(_ entry: JSONValue) throws(TokenCacheError) -> Cloud {
        guard let network = entry["preferred_network"]?.text, let cache = entry["preferred_cache"]?.text,
            case .array(let aliases)? = entry["aliases"]
        else { throw malformed("a cloud lacks its preferred hosts or its aliases") }
        guard aliases.count <= maximumCount else { throw malformed("a cloud has too many hosts") }
        var hosts: [UTF8Text] = []
        for alias in aliases {
            guard let host = alias.text else { throw malformed("a host is no text") }
            hosts.append(host)
        }
        guard (hosts + [network, cache]).allSatisfy(isHost) else { throw malformed("a host has no host's form") }
        let cloud = Cloud(hosts: hosts, preferredNetworkHost: network, preferredCacheHost: cache)
        guard cloud.hosts.count <= maximumCount else { throw malformed("a cloud has too many hosts") }
        return cloud
    }

    /// Whether the text is a name of a host, with a port or without: nothing that changes its meaning within an address.
    private static func isHost(_ text: UTF8Text) -> Bool {
        let parts = text.string.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count <= 2, !name.isEmpty, name.count <= 253 else { return false }
        if parts.count == 2 {
            guard (1...5).contains(parts[1].count), parts[1].allSatisfy({ (0x30...0x39).contains($0) }) else {
                return false
            }
        }
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy(isLetterOfHost)
        }
    }

    private static func isLetterOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func malformed(_ detail: String) -> TokenCacheError {
        TokenCacheError(.malformedDocument, detail: detail)
    }
}

extension CloudMetadata: CustomStringConvertible {
    /// How many clouds it tells of.
    public var description: String { "CloudMetadata(\(clouds.count) clouds)" }
}
