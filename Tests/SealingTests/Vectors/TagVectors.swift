// SPDX-License-Identifier: Apache-2.0

import Sealing

/// The content of `tags.json`: names of known things under a known key.
struct TagVectors: Codable, Equatable {
    struct Tag: Codable, Equatable, Sendable {
        let what: String
        let parts: [String]
        let tag: String
    }

    let tagKey: String
    let tags: [Tag]

    static let fileName = "tags.json"

    /// The vectors as this implementation makes them.
    static func make() throws -> TagVectors {
        let sealer = try RecordSealer(keys: fixedKeys())
        var tags: [Tag] = []
        func add(_ what: String, _ parts: [[UInt8]], _ tag: String) {
            tags.append(Tag(what: what, parts: parts.map(\.hex), tag: tag))
        }
        let lists: [[[UInt8]]] = [
            [], [[]], [Array("a.b".utf8)], [Array("client".utf8), Array("realm".utf8)],
            [[UInt8](repeating: 0xC3, count: 300)],
        ]
        for domain in PartitionDomain.allCases {
            for parts in lists { add("\(domain)Partition", parts, bytes(try sealer.partitionTag(domain, parts)).hex) }
        }
        let sections: [([UInt8], [UInt8])] = [
            ([], []), (Array("AccessToken".utf8), Array("uid.utid-login.example.com-accesstoken".utf8)),
            (Array("AccessTokenu".utf8), Array("id.utid-login.example.com-accesstoken".utf8)),
            (Array("Account".utf8), Array("ümlaut".utf8)),
        ]
        for (section, key) in sections {
            add("record", [section, key], bytes(try sealer.recordTag(section: section, key: key)).hex)
        }
        for text in ["", "alice@contoso.com", "zoë@contoso.com"] {
            let utf8 = Array(text.utf8)
            add(
                "usernameSearch",
                [utf8],
                littleEndianBytes(try withSpan(utf8) { try sealer.searchTag(.username, $0) }).hex
            )
        }
        return TagVectors(tagKey: [UInt8](repeating: 0x54, count: 32).hex, tags: tags)
    }

    private static func bytes(_ tag: (UInt64, UInt64)) -> [UInt8] {
        littleEndianBytes(tag.0) + littleEndianBytes(tag.1)
    }
}
