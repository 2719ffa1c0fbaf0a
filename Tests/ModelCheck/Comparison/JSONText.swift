// SPDX-License-Identifier: Apache-2.0

import Foundation

/// JSON out of the values of sequences, and back.
enum JSONText {
    static func document(_ entries: [ModelEntry]) -> [UInt8] {
        let entries = inOrder(entries)
        var sections: [String] = []
        for section in Set(entries.map(\.section)).sorted() {
            let texts = entries.filter { $0.section == section }.map { quoted($0.key) + ":" + object($0.members) }
            sections.append(quoted(section) + ":{" + texts.joined(separator: ",") + "}")
        }
        return Array("{\(sections.joined(separator: ","))}".utf8)
    }

    /// The entries as a document has them: section by section, and of several under one key the last.
    static func inOrder(_ entries: [ModelEntry]) -> [ModelEntry] {
        let last = entries.enumerated().filter { index, entry in
            !entries[(index + 1)...].contains { $0.section == entry.section && $0.key == entry.key }
        }
        return last.sorted { ($0.element.section, $0.offset) < ($1.element.section, $1.offset) }.map(\.element)
    }

    private static func object(_ members: [String: ModelValue]) -> String {
        let values = members.mapValues { value -> Any in
            switch value {
            case .text(let text), .other(let text): text
            case .number(let number): number
            case .null: NSNull()
            case .object(let members): members
            }
        }
        return String(decoding: bytes(values), as: UTF8.self)
    }

    private static func quoted(_ text: String) -> String {
        let data = try? JSONSerialization.data(
            withJSONObject: text,
            options: [.fragmentsAllowed, .withoutEscapingSlashes]
        )
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    static func entries(of document: [UInt8]) -> [ModelEntry] {
        let object = try? JSONSerialization.jsonObject(with: Data(document))
        guard let sections = object as? [String: [String: [String: Any]]] else { return [] }
        return sections.flatMap { section, entries in
            entries.map { ModelEntry(section: section, key: $0, members: $1.mapValues(value)) }
        }
    }

    private static func value(_ value: Any) -> ModelValue {
        switch value {
        case is NSNull: .null
        case let text as String: .text(text)
        case let number as NSNumber: .number(number.int64Value)
        case let members as [String: String]: .object(members)
        default: .other("\(value)")
        }
    }

    static func bytes(_ object: [String: Any]) -> [UInt8] {
        let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return Array(data ?? Data())
    }

    static func base64URL(_ object: [String: Any]) -> String {
        Data(bytes(object)).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
}

extension Response {
    /// The body as the endpoint would send it.
    var body: [UInt8] {
        var members: [String: Any] = [:]
        members["access_token"] = accessToken
        members["refresh_token"] = refreshToken
        members["scope"] = granted?.joined(separator: " ")
        members["expires_in"] = expiresIn
        members["ext_expires_in"] = extendedExpiresIn
        members["refresh_in"] = refreshIn
        members["foci"] = family
        members["token_type"] = tokenType
        if let claims {
            members["id_token"] = JSONText.base64URL(["alg": "none"]) + "." + JSONText.base64URL(claims) + ".c2ln"
        }
        if let parts = clientInfo?.split(separator: ".", maxSplits: 1), let uid = parts.first, let utid = parts.last {
            members["client_info"] = JSONText.base64URL(["uid": String(uid), "utid": String(utid)])
        }
        return JSONText.bytes(members)
    }
}
