/// Whose form a document key has. Keys of the SDKs differ, so the same entry may stand under several; readers match by
/// fields.
package enum KeyFormat: UInt8, Hashable, Sendable, CaseIterable {
    case objectiveC = 1
    case dotNet = 2
    case java = 3
    case python = 4
    case go = 5
    case javaScript = 6
    case android = 7

    /// The form of entries that replace nothing. For all plain tokens it is also that of MSAL.NET and MSAL Java.
    package static let standard = KeyFormat.objectiveC
}
