/// Bytes that could not be used and were set aside.
package struct QuarantinedFile: Hashable, Sendable {
    package let name: String
    /// Without its holes.
    package let byteCount: UInt64
    /// Seconds since 1970.
    package let seconds: Int64
}
