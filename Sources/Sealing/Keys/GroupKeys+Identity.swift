internal import ByteOperations

extension GroupKeys {
    /// Vouches for what the state file of the group says. The same in every epoch.
    package func authenticator(ofState text: [UInt8]) throws(SealingError) -> Digest {
        try KeyedHash.hash256(text.rawSpan, key: tagKey.derive(.stateFile))
    }

    /// A value that tells the tag key of this group from any other one, and says nothing of it. The same in every epoch.
    package func checkValue() throws(SealingError) -> Digest {
        try KeyedHash.hash256(uuid.bytes.rawSpan, key: tagKey.derive(.identity))
    }

    /// Whether both are keys of the same group, in whatever epoch.
    package func areOfSameGroup(as other: GroupKeys) -> Bool {
        uuid == other.uuid && tagKey.isEqual(to: other.tagKey)
    }
}
