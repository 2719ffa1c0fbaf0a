/// Boxes of which nobody knows any more where they end. For salvage alone.
extension RecordSealer {
    /// Looks at the box of facts that may begin where `bytes` begin: hands every plaintext that its padding admits to
    /// `body`, unverified, until that gives something back. What it tells of the record is to be checked with
    /// ``openFacts(_:tag:kind:sequence:)``.
    ///
    /// - Parameters:
    ///   - bytes: from there on, as many as there are.
    ///   - isStart: whether facts may begin with these bytes (32 of them).
    ///   - body: is given a plaintext without its padding, and the length that the box then has.
    /// - Returns: what `body` gave back; nil where no plaintext was what it looked for.
    /// - Throws: ``SealingError/Code/forkedProcess`` and what `body` throws.
    package func withUnverifiedFacts<Result>(
        _ bytes: RawSpan,
        isStart: ([UInt8]) -> Bool,
        _ body: (_ facts: [UInt8], _ boxByteCount: Int) throws(SealingError) -> Result?
    ) throws(SealingError) -> Result? {
        let bucket = BoxRole.facts.bucketByteCount
        let start = try AEAD.openUnverified(bytes, byteCount: bucket, key: boxKey)
        guard start.count == bucket, isStart(start) else { return nil }
        var length = bucket
        var limit = 128 * bucket
        while length <= Self.maximumPlaintextByteCount + bucket {
            // As a rule facts are short.
            let plaintext = try AEAD.openUnverified(bytes, byteCount: limit, key: boxKey)
            while length <= plaintext.count {
                if length + AEAD.overhead > bytes.byteCount { return nil }
                let padded = plaintext.rawSpan.extracting(length - bucket..<length)
                if let count = Padding.unpaddedByteCount(padded, bucket: bucket) {
                    let facts = Array(plaintext[..<(length - bucket + count)])
                    if let result = try body(facts, length + AEAD.overhead) { return result }
                }
                length += bucket
            }
            if plaintext.count < limit { return nil }
            limit *= 16
        }
        return nil
    }

    /// The length of the secret box of a record, where one begins where `bytes` begin; nil where none does.
    ///
    /// - Throws: ``SealingError/Code/forkedProcess``, ``SealingError/Code/outOfMemory``.
    package func secretBoxByteCount(
        startingAt bytes: RawSpan,
        tag: (UInt64, UInt64),
        kind: UInt8,
        sequence: UInt64
    ) throws(SealingError) -> Int? {
        let bucket = BoxRole.secret.bucketByteCount
        var length = bucket
        var limit = 16 * bucket
        while length <= Self.maximumPlaintextByteCount + bucket {
            let plaintext = try AEAD.openUnverifiedSecret(bytes, byteCount: limit, key: boxKey)
            while length <= plaintext.byteCount {
                let boxByteCount = length + AEAD.overhead
                if boxByteCount > bytes.byteCount { return nil }
                let padded = plaintext.bytes.extracting(length - bucket..<length)
                if Padding.unpaddedByteCount(padded, bucket: bucket) != nil,
                    try verifies(bytes.extracting(0..<boxByteCount), tag: tag, kind: kind, sequence: sequence)
                {
                    return boxByteCount
                }
                length += bucket
            }
            if plaintext.byteCount < limit { return nil }
            limit *= 16
        }
        return nil
    }

    /// Whether a box is the secret of this record.
    private func verifies(
        _ box: RawSpan,
        tag: (UInt64, UInt64),
        kind: UInt8,
        sequence: UInt64
    ) throws(SealingError) -> Bool {
        do throws(SealingError) {
            _ = try openSecret(box, tag: tag, kind: kind, sequence: sequence)
            return true
        } catch {
            guard error.code == .authenticationFailed || error.code == .malformed else { throw error }
            return false
        }
    }
}
