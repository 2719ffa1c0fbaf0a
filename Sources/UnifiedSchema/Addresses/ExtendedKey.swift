// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing

/// Extra parts of a request that isolate an access token, and the hashes for them that SDKs put into keys.
package struct ExtendedKey: Hashable, Sendable {
    /// In ascending order of the names' bytes.
    package let components: [Component]

    package struct Component: Hashable, Sendable {
        package let name: UTF8Text
        package let value: UTF8Text

        package init(name: UTF8Text, value: UTF8Text) {
            self.name = name
            self.value = value
        }
    }

    package init(_ components: [Component]) {
        self.components = components.sorted { $0.name < $1.name }
    }

    /// The hash in `ext_cache_key` and in keys of MSAL Python and MSAL Go. Each part follows its length, so that
    /// different parts never give the same text.
    package var hash: UTF8Text {
        digest { component in
            [component.name, component.value].map { "\($0.byteCount):\($0.string)" }
        }
    }

    /// The hash in keys of MSAL.NET: the parts without separators.
    package var dotNetHash: UTF8Text {
        digest { [$0.name.string, $0.value.string] }
    }

    private func digest(_ parts: (Component) -> [String]) -> UTF8Text {
        let message = components.flatMap(parts).flatMap { Array($0.utf8) }
        return UTF8Text(Base64URL.encode(SHA256Digest.of(message.rawSpan))).asciiLowercased()
    }

    /// The comparable form of an object of components, such as MSAL.NET's `ext`, and of the resource that MSAL Node
    /// stores beside it, which counts as a component of that name: nil if there are none; the text itself if it cannot
    /// be hashed, so that such an entry never matches a query without components.
    static func comparable(json: [UInt8]?, resource: UTF8Text?) -> UTF8Text? {
        var components = resource.map { [Component(name: "resource", value: $0)] } ?? []
        if let json {
            if let key = ExtendedKey(json: json) {
                components += key.components
            } else if !json.rawSpan.extracting(1..<max(1, json.count - 1)).trimmed().isEmpty {
                return UTF8Text((UTF8Text(utf8: json.rawSpan)?.string ?? "") + (resource?.string ?? ""))
            }
        }
        return components.isEmpty ? nil : ExtendedKey(components).hash
    }

    /// The components in an object such as MSAL.NET's `ext`.
    ///
    /// - Returns: nil if it is empty, not an object, or has a value that is not text and so cannot be compared.
    init?(json: [UInt8]) {
        var scanner = JSONScanner(json.rawSpan, maximumDepth: 32)
        var members: [EntryMembers.Member] = []
        guard (try? EntryMembers.scan(&scanner, depth: 1, into: &members)) != nil, !members.isEmpty else { return nil }
        var components: [Component] = []
        for member in members where member.form != .null {
            guard member.isString,
                let name = JSONString.text(
                    of: json.rawSpan.extracting(member.nameLocation.range),
                    hasEscapes: member.nameLocation.hasEscapes
                ),
                let value = JSONString.text(
                    of: json.rawSpan.extracting(member.content),
                    hasEscapes: member.form == .escapedString
                )
            else { return nil }
            components.append(Component(name: name, value: value))
        }
        if components.isEmpty { return nil }
        self.init(components)
    }
}
