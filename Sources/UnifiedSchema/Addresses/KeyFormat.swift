// SPDX-License-Identifier: Apache-2.0

/// The SDK in whose form an entry is written: its members, and its key in a document. The SDKs' forms differ, so the
/// same entry may have several keys; readers match by fields.
package enum KeyFormat: UInt8, Hashable, Sendable, CaseIterable {
    case objectiveC = 1
    case dotNet = 2
    case java = 3
    case python = 4
    case go = 5
    /// MSAL Node before version 5.
    case javaScript = 6
    case android = 7
    /// MSAL Node from version 5 on: without the hash of requested claims.
    case node5 = 8

    /// The form of new entries that replace none. For all plain tokens it is also the form of MSAL.NET and MSAL Java.
    package static let standard = KeyFormat.objectiveC
}
