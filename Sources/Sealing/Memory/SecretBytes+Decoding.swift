extension SecretBytes {
    /// Room for `byteCount` bytes, which `decode` writes; `nil` where it says that it could not.
    package static func decoded(
        byteCount: Int,
        by decode: (inout OutputRawSpan) -> Bool
    ) throws(SealingError) -> SecretBytes? {
        var isDecoded = false
        let bytes = try SecretBytes(byteCount: byteCount) { output throws(SealingError) in isDecoded = decode(&output) }
        if isDecoded { return bytes }
        return nil
    }
}
