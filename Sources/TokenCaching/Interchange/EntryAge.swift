internal import UnifiedSchema

/// When an entry was made, as far as it says so itself.
struct EntryAge {
    /// Seconds since 1970.
    private let seconds: Int64?

    init(_ fields: CredentialFields) {
        seconds = fields.cachedAt ?? fields.lastModificationTime
    }

    /// Whether this is newer beyond doubt. Nothing is newer than what does not say how old it is.
    func isNewer(than other: EntryAge) -> Bool {
        guard let seconds, let otherSeconds = other.seconds else { return false }
        return seconds > otherSeconds
    }
}
