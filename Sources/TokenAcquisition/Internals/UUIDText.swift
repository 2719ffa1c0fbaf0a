// SPDX-License-Identifier: Apache-2.0

enum UUIDText {
    /// Whether a text has the form of a UUID, as ids of Microsoft's tenants do.
    static func isValid(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && groups.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
    }
}
