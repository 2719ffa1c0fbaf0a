// SPDX-License-Identifier: Apache-2.0

/// The authority of an ADAL item: `https://login.microsoftonline.com/contoso.com`, both parts folded.
package struct LegacyAuthority: Hashable, Sendable {
    package let host: UTF8Text
    /// The first part of the path, which names a tenant, or is `common` or `adfs`.
    package let tenant: UTF8Text

    /// - Returns: nil if it is not an https URL with a host and a path.
    package init?(_ url: UTF8Text) {
        let folded = url.normalized().string.utf8
        let scheme = "https://".utf8
        guard folded.starts(with: scheme) else { return nil }
        let parts = folded.dropFirst(scheme.count).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count >= 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        host = UTF8Text(String(decoding: parts[0], as: UTF8.self))
        tenant = UTF8Text(String(decoding: parts[1], as: UTF8.self))
    }
}
