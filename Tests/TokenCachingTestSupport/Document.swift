// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import CacheAdministration
@testable import TokenCaching

/// A unified document of a test: JSON text, and its value for comparing.
struct Document {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    init(_ bytes: [UInt8]) {
        text = String(decoding: bytes, as: UTF8.self)
    }

    var bytes: [UInt8] { Array(text.utf8) }

    /// The JSON value. Numbers compare as numbers.
    var value: NSDictionary? {
        (try? JSONSerialization.jsonObject(with: Data(bytes))) as? NSDictionary
    }

    /// The names of the top-level members, sorted.
    var sections: [String] { (value?.allKeys as? [String] ?? []).sorted() }

    /// The keys of a section, sorted.
    func keys(_ section: String) -> [String] {
        ((value?[section] as? NSDictionary)?.allKeys as? [String] ?? []).sorted()
    }

    /// A member of an entry.
    func member(_ section: String, _ key: String, _ name: String) -> Any? {
        ((value?[section] as? NSDictionary)?[key] as? NSDictionary)?[name]
    }

    /// A document with these sections, given as the text of their members.
    static func sections(_ sections: KeyValuePairs<String, [String]>) -> Document {
        let parts = sections.map { "\"\($0.key)\": {\($0.value.joined(separator: ",\n"))}" }
        return Document("{\(parts.joined(separator: ",\n"))}")
    }

    /// What one person has, and a section that nobody knows.
    static let person = sections([
        "AccessToken": [accessToken()], "RefreshToken": [refreshToken()], "Account": [account()],
        "other": [#""x": [1]"#],
    ])

    /// An access token entry with its key.
    static func accessToken(
        key: String? = nil,
        user: String = "uid.utid",
        client: String = "client",
        scopes: String = "user.read",
        secret: String = "at-secret",
        cachedAt: Int = 1_000,
        more: String = ""
    ) -> String {
        let key = key ?? "\(user)-login.windows.net-accesstoken-\(client)-contoso-\(scopes)"
        return """
            "\(key)": {"credential_type": "AccessToken", "secret": "\(secret)", "home_account_id": "\(user)",
            "environment": "login.windows.net", "client_id": "\(client)", "realm": "contoso", "target": "\(scopes)",
            "cached_at": "\(cachedAt)", "expires_on": "\(cachedAt + 3600)"\(more)}
            """
    }

    /// A refresh token entry with its key. A time of `nil` leaves it out.
    static func refreshToken(
        key: String? = nil,
        user: String = "uid.utid",
        client: String = "client",
        secret: String = "rt-secret",
        modified: Int? = nil,
        more: String = ""
    ) -> String {
        let key = key ?? "\(user)-login.windows.net-refreshtoken-\(client)--"
        let time = modified.map { ", \"last_modification_time\": \"\($0)\"" } ?? ""
        return """
            "\(key)": {"credential_type": "RefreshToken", "secret": "\(secret)", "home_account_id": "\(user)",
            "environment": "login.windows.net", "client_id": "\(client)"\(time)\(more)}
            """
    }

    /// An account entry with its key.
    static func account(user: String = "uid.utid", username: String = "user@contoso.com", more: String = "") -> String {
        """
        "\(user)-login.windows.net-contoso": {"home_account_id": "\(user)", "environment": "login.windows.net",
        "realm": "contoso", "local_account_id": "oid", "username": "\(username)", "authority_type": "MSSTS"\(more)}
        """
    }
}

extension CacheGroup {
    /// Imports a document that is in memory.
    @discardableResult
    func take(_ document: Document, _ options: ImportOptions = ImportOptions()) throws(TokenCacheError) -> ImportReport
    {
        try importEntries(from: .bytes(document.bytes), options: options)
    }

    /// Exports into memory.
    func give(_ options: ExportOptions = ExportOptions()) throws(TokenCacheError) -> Document {
        let pieces = Pieces()
        _ = try exportEntries(
            to: .sink { (bytes) throws(TokenCacheError) in pieces.append(bytes) },
            options: options
        )
        return Document(pieces.bytes)
    }
}

/// What a sink of a test got.
final class Pieces {
    private(set) var bytes: [UInt8] = []

    func append(_ span: RawSpan) {
        unsafe span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
}

extension GroupFixture {
    func createGroup(_ storage: StorageChoice = .automatic, name: String = "group") throws -> CacheGroup {
        CacheGroup(try create(storage, name: name), timeout: .seconds(20))
    }
}
