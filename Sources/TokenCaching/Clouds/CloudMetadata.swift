// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// The result of instance discovery: the clouds' equivalent hosts, the hosts to send requests to, and the hosts that
/// entries are stored under.
///
/// A cache knows the clouds built into the MSAL libraries. Discovery data adds clouds, and hosts to clouds. It never
/// joins two clouds (data that would is rejected as a whole), and the preferred host of a built-in cloud is always a
/// built-in host. Use only data of a server that you trust, received over TLS: it decides where requests with refresh
/// tokens are sent.
///
/// ```swift
/// try cache.learn(try CloudMetadata(discoveryJSON: body))
/// ```
public struct CloudMetadata: Hashable, Sendable {
    let clouds: [Cloud]

    /// The maximum size of a response in bytes.
    public static let maximumByteCount = 256 << 10
    /// The maximum number of clouds in a response, and of hosts in each, including the preferred ones.
    public static let maximumCount = 64

    /// Parses a response of the endpoint `/common/discovery/instance`.
    ///
    /// - Parameter discoveryJSON: an object with a member `metadata`: a list of objects with `preferred_network`,
    ///   `preferred_cache` and `aliases`. Other members are ignored.
    /// - Throws: ``TokenCacheError/Code/tooLarge``, ``TokenCacheError/Code/malformedDocument`` if it is not such an
    ///   object or contains an invalid host name. In that case none of it is used.
    public init(discoveryJSON: [UInt8]) throws(TokenCacheError) {
        clouds = try translating(try CloudMetadata.clouds(in: discoveryJSON))
    }

    private static func clouds(in discoveryJSON: [UInt8]) throws(StorageError) -> [Cloud] {
        guard discoveryJSON.count <= maximumByteCount else {
            throw StorageError(.tooLarge, detail: "the discovery data has \(discoveryJSON.count) bytes")
        }
        let document: JSONValue
        do throws(SchemaError) {
            document = try JSONValue(parsing: discoveryJSON.rawSpan)
        } catch {
            throw StorageError(document: error)
        }
        guard case .array(let entries)? = document["metadata"] else {
            throw malformed("discovery data has no list of clouds")
        }
        guard entries.count <= maximumCount else {
            throw malformed("discovery data has too many clouds")
        }
        var clouds: [Cloud] = []
        for entry in entries { clouds.append(try cloud(entry)) }
        let hosts = clouds.flatMap(\.hosts)
        guard Set(hosts).count == hosts.count else { throw malformed("a host occurs in two clouds") }
        return clouds
    }

    static func cloud(_ entry: JSONValue) throws(StorageError) -> Cloud {
        guard let network = entry["preferred_network"]?.text, let cache = entry["preferred_cache"]?.text,
            case .array(let aliases)? = entry["aliases"]
        else { throw malformed("a cloud has no preferred hosts or no aliases") }
        guard aliases.count <= maximumCount else { throw malformed("a cloud has too many hosts") }
        var hosts: [UTF8Text] = []
        for alias in aliases {
            guard let host = alias.text else { throw malformed("a host is not a string") }
            hosts.append(host)
        }
        guard (hosts + [network, cache]).allSatisfy(isHost) else { throw malformed("a host is malformed") }
        let cloud = Cloud(hosts: hosts, preferredNetworkHost: network, preferredCacheHost: cache)
        guard cloud.hosts.count <= maximumCount else { throw malformed("a cloud has too many hosts") }
        return cloud
    }

    /// Whether the text is a host name, with or without a port, and contains nothing that changes the meaning of a URL.
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

    private static func malformed(_ detail: String) -> StorageError {
        StorageError(.malformedDocument, detail: detail)
    }
}

extension CloudMetadata: CustomStringConvertible {
    /// The number of clouds.
    public var description: String { "CloudMetadata(\(clouds.count) clouds)" }
}
