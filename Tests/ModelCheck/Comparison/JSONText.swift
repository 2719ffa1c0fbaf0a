// SPDX-License-Identifier: Apache-2.0

import Foundation

/// JSON out of the values of sequences, and back.
enum JSONText {
    static func document(_ entries: [ModelEntry]) -> [UInt8] {
        var sections: [String: [String: Any]] = [:]
        for entry in entries {
            sections[entry.section, default: [:]][entry.key] = entry.members.mapValues { value -> Any in
                switch value {
                case .text(let text), .other(let text): text
                case .number(let number): number
                case .null: NSNull()
                }
            }
        }
        return bytes(sections)
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
