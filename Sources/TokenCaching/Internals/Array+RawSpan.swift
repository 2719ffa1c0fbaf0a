extension Array where Element == UInt8 {
    /// The elements as raw bytes, in place.
    var rawSpan: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: UInt8 has no padding.
            unsafe span.bytes
        }
    }
}
