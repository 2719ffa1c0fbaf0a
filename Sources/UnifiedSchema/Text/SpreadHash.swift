internal import ByteOperations

extension RawSpan {
    /// 64 bits of the bytes that differ from process to process, so that nobody can prepare collisions.
    ///
    /// Not for anything that is stored.
    func spreadHash() -> UInt64 {
        var hasher = Hasher()
        hasher.combine(self)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
