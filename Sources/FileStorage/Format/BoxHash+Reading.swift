internal import RecordStorage

extension BoxHash {
    /// The hash that stands at `offset`.
    init(in bytes: RawSpan, at offset: Int) {
        self.init(first: bytes.u64(offset), second: bytes.u64(offset + 8))
    }
}
