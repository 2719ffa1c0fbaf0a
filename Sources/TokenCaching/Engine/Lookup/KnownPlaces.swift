/// Where names lead that are no known account's id, as long as nothing changes: usernames, and ids of nobody.
///
/// Without it such a lookup would hash the name with the group's key and search the store each time.
struct KnownPlaces: Sendable {
    private struct Known: Sendable {
        let subject: QueryTerms.Subject
        let name: [UInt8]
        let place: Engine.Place
    }

    private var byHash: [UInt64: Known] = [:]
    /// Anybody may ask for any number of names; beyond this many all are forgotten.
    static let limit = 4096

    subscript(subject: QueryTerms.Subject, name: RawSpan, hash: UInt64) -> Engine.Place? {
        guard let known = byHash[hash], known.subject == subject, known.name.rawSpan.isEqual(to: name) else {
            return nil
        }
        return known.place
    }

    mutating func keep(_ place: Engine.Place, of subject: QueryTerms.Subject, _ name: [UInt8], hash: UInt64) {
        if byHash.count >= KnownPlaces.limit { byHash.removeAll(keepingCapacity: true) }
        byHash[hash] = Known(subject: subject, name: name, place: place)
    }

    mutating func removeAll() {
        if !byHash.isEmpty { byHash.removeAll() }
    }
}
