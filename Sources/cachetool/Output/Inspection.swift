// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import TokenCaching
import ToolInterface

/// One entry, field by field, with the claims of its token.
struct Inspection {
    private let entry: EntryDetail
    private let fields: [EntryField]
    private let token: DecodedToken?
    private let showsSecret: Bool
    private let keys: EntryKeys?

    /// Opens the token to decode it, and wipes it afterwards.
    init(of entry: EntryDetail, showsSecret: Bool, showsKeys: Bool = false) throws {
        self.entry = entry
        self.showsSecret = showsSecret
        keys = showsKeys ? entry.keys : nil
        fields = try entry.fields(revealingUnknown: showsSecret) ?? []
        token = try entry.decodedToken()
    }

    /// The names of fields that contain a time.
    private static let times: Set<String> = [
        "cached_at", "expires_on", "extended_expires_on", "ext_expires_on", "refresh_on", "last_modification_time",
        "exp", "iat", "nbf", "auth_time", "xms_tcdt",
    ]
}

// MARK: - For human readers

extension Inspection {
    /// Prints the entry.
    func write(to console: Console) throws {
        var list = FieldList()
        list.add("id", entry.summary.handle.description)
        list.add("kind", entry.summary.kind.name)
        list.add("section", entry.summary.section)
        for field in fields {
            let (text, style) = text(field, console)
            list.add(field.name, text, style: style)
        }
        if entry.summary.kind == .other {
            list.add("content", "not understood; kept and exported as it is", style: .dim)
        }
        list.write(to: console)
        if let token { write(token, to: console) }
        if let keys { write(keys, to: console) }
        guard showsSecret else { return }
        try writeSecret(to: console)
    }

    private func text(_ field: EntryField, _ console: Console) -> (String, Style) {
        if let value = field.value { return (Self.people(field.name, value, now: console.now), .plain) }
        return (field.isKnown ? "(secret)" : "(unknown field; --reveal shows it)", .dim)
    }

    private func write(_ token: DecodedToken, to console: Console) {
        switch token {
        case .signed(let header, let claims):
            heading("token header", console)
            list(header, console).write(to: console, indent: 2)
            heading("token claims (not verified)", console)
            list(claims, console).write(to: console, indent: 2)
        case .encrypted(let header):
            heading("token header (the rest is encrypted)", console)
            list(header, console).write(to: console, indent: 2)
        case .opaque:
            console.write(line: "The token is opaque: only its issuer can read it.", .dim)
        @unknown default:
            console.write(line: "This program does not know the format of the token.", .dim)
        }
    }

    private func write(_ keys: EntryKeys, to console: Console) {
        heading("document keys", console)
        var list = FieldList()
        list.add("as read", keys.stored)
        for key in keys.documentKeys { list.add(Self.name(key.library), key.text) }
        list.write(to: console, indent: 2)
        for (name, item) in [("", keys.keychainItem), (" of MSAL.NET", keys.dotNetKeychainItem)] {
            guard let item, name.isEmpty || item != keys.keychainItem else { continue }
            heading("keychain item" + name, console)
            var list = FieldList()
            list.add("account", item.account)
            list.add("service", item.service)
            list.add("generic", item.generic)
            list.add("type", item.type.map(String.init))
            list.write(to: console, indent: 2)
        }
    }

    private static func name(_ library: MSALLibrary) -> String {
        switch library {
        case .objectiveC: "MSAL for Objective-C"
        case .dotNet: "MSAL.NET"
        case .java: "MSAL Java"
        case .python: "MSAL Python"
        case .go: "MSAL Go"
        case .javaScript: "MSAL Node"
        case .android: "MSAL Android"
        case .node5: "MSAL Node 5"
        @unknown default: library.rawValue
        }
    }

    private func heading(_ text: String, _ console: Console) {
        console.write(line: "")
        console.write(line: text, .bold)
    }

    private func list(_ value: JSONValue, _ console: Console) -> FieldList {
        var list = FieldList()
        for member in value.members {
            list.add(member.name, Self.people(member.name, member.value, now: console.now))
        }
        return list
    }

    private static func people(_ name: String, _ value: JSONValue, now: Int64) -> String {
        if times.contains(name), let moment = value.timestamp {
            return HumanTime.full(moment.secondsSince1970, now: now)
        }
        return if case .string(let text) = value { text } else { value.json }
    }

    private func writeSecret(to console: Console) throws {
        console.write(line: "")
        let isThere: Void? = try entry.withSecret { secret throws(TokenCacheError) in
            console.write(line: "token", .bold)
            SecretText.writeVisible(secret, to: console.output)
            console.write(line: "")
        }
        if isThere == nil { console.write(line: "This entry has no token.", .dim) }
    }
}

// MARK: - For programs

extension Inspection {
    /// Writes the entry.
    func write(_ json: JSONWriter, group: String?, now: Int64) throws {
        try json.document {
            json.member("group", group)
            EntryRow.write(entry.summary, now: now, json)
            json.object("fields") {
                for field in fields {
                    if let value = field.value { json.member(field.name, rawJSON: value.json) }
                }
            }
            json.member("hidden_fields", fields.filter { $0.value == nil }.map(\.name))
            write(token, json)
            if let keys { write(keys, json) }
            guard showsSecret else { return }
            _ = try entry.withSecret { secret throws(TokenCacheError) in json.member("secret", secret: secret) }
        }
    }

    private func write(_ keys: EntryKeys, _ json: JSONWriter) {
        json.object("keys") {
            json.member("stored", keys.stored)
            for library in MSALLibrary.allCases {
                json.member(library.rawValue, keys.documentKeys.first { $0.library == library }?.text)
            }
        }
        for (name, item) in [
            ("keychain_item", keys.keychainItem), ("keychain_item_dot_net", keys.dotNetKeychainItem),
        ] {
            guard let item else {
                json.null(name)
                continue
            }
            json.object(name) {
                json.member("account", item.account)
                json.member("service", item.service)
                json.member("generic", item.generic)
                json.member("type", item.type.map(Int64.init))
            }
        }
    }

    private func write(_ token: DecodedToken?, _ json: JSONWriter) {
        guard let token else { return json.null("token") }
        json.object("token") {
            switch token {
            case .signed(let header, let claims):
                json.member("format", "signed")
                json.member("verified", false)
                json.member("header", rawJSON: header.json)
                json.member("claims", rawJSON: claims.json)
            case .encrypted(let header):
                json.member("format", "encrypted")
                json.member("header", rawJSON: header.json)
            case .opaque:
                json.member("format", "opaque")
            @unknown default:
                json.member("format", "unknown")
            }
        }
    }
}

extension JSONValue {
    /// The value on one line, safe on a terminal.
    var json: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let text): Self.isJSON(number: text) ? text : Self.quoted(text)
        case .string(let text): Self.quoted(text)
        case .array(let values): "[" + values.map(\.json).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ": " + $0.value.json }.joined(separator: ", ") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + JSONWriter.escaped(text) + "\""
    }

    /// Python writes `NaN` and `Infinity`, which the cache preserves but strict readers reject.
    private static func isJSON(number: String) -> Bool {
        number.utf8.last.map { (0x30...0x39).contains($0) } ?? false
    }
}
