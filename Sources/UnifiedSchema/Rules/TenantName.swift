// SPDX-License-Identifier: Apache-2.0

/// A name for a tenant other than its id: a domain, or anything else that a server accepts in its place. Words such as
/// `common` are not names: they mean a tenant only together with an account.
package enum TenantName {
    /// The longest path component that servers accept.
    package static let maximumByteCount = 512

    /// The folded name that a text may be; nil for a word, and for text that cannot be a name.
    package static func comparable(_ text: UTF8Text) -> UTF8Text? {
        let name = text.normalized()
        guard !name.isEmpty, name.byteCount <= maximumByteCount, TenantWord(name) == nil else { return nil }
        return name
    }
}
