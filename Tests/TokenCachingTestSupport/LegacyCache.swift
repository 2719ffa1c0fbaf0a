// SPDX-License-Identifier: Apache-2.0

import RecordStorage

@testable import CacheAdministration
@testable import TokenCaching

/// Caches of ADAL, as its library for Python writes them.
enum LegacyCache {
    /// An item of such a cache.
    static func item(
        _ refreshToken: String? = "adal-rt",
        accessToken: String = "adal-at",
        user: String? = "Ann@contoso.com",
        client: String = TestGroup.client,
        authority: String = "https://login.microsoftonline.com/utid",
        resource: String = "https://graph.windows.net/",
        expiresOn: String = "2026-11-21 10:00:00.000000",
        isMultiResource: Bool = true,
        more: String = ""
    ) -> String {
        let refreshToken = refreshToken.map { "\"refreshToken\": \"\($0)\", " } ?? ""
        let user = user.map { "\"userId\": \"\($0)\", \"isUserIdDisplayable\": true, " } ?? ""
        let isMultiResource = isMultiResource ? "\"isMRRT\": true, " : ""
        return """
            {"tokenType": "Bearer", "expiresIn": 3600, "expiresOn": "\(expiresOn)", "resource": "\(resource)",
            "accessToken": "\(accessToken)", \(refreshToken)\(user)\(isMultiResource)"oid": "uid", "tenantId": "utid",
            "givenName": "Ann", "familyName": "Lee", "_clientId": "\(client)", "_authority": "\(authority)"\(more)}
            """
    }

    static func document(_ items: String...) -> Document {
        Document("[\(items.joined(separator: ",\n"))]")
    }
}

extension TestGroup {
    /// The group, opened as a whole.
    var whole: CacheGroup {
        CacheGroup(
            OpenedGroup(
                group: "group",
                store: MemoryStore(backing),
                storage: nil,
                custody: .process,
                unlockedKeys: unlockedKeys,
                directory: nil,
                location: .memory
            )
        )
    }

    /// Imports a cache of ADAL.
    @discardableResult
    func takeLegacy(_ items: String...) throws -> ImportReport {
        let document = Document("[\(items.joined(separator: ","))]")
        return try whole.take(document, ImportOptions(format: .adal))
    }
}
