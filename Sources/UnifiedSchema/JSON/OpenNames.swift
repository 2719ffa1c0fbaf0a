// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The names of the open objects while JSON is read, to detect duplicates within an object.
///
/// Names are compared with their escapes resolved. Takes 24 bytes per name; a large object uses a set.
struct OpenNames {
    private var entries: [Entry] = []
    /// Hashes of the names of large objects; one set for each, innermost last.
    private var sets: [Set<UInt64>] = []

    private struct Entry {
        /// Distinguishes almost all names without reading them.
        let digest: UInt64
        let start: Int
        let end: Int
        let hasEscapes: Bool
    }

    /// One open object.
    struct Scope {
        fileprivate let firstEntry: Int
        fileprivate let depthOfSets: Int
    }

    /// Beyond this many names, comparing with each costs more than a set.
    private static let linearLimit = 32

    mutating func open() -> Scope {
        if entries.isEmpty { entries.reserveCapacity(32) }
        return Scope(firstEntry: entries.count, depthOfSets: sets.count)
    }

    mutating func close(_ scope: Scope) {
        entries.removeSubrange(scope.firstEntry...)
        sets.removeSubrange(scope.depthOfSets...)
    }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: entries.capacity <= 1024)
        sets.removeAll()
    }

    /// - Returns: false if the object already has the name.
    mutating func insert(_ location: JSONScanner.StringRange, of bytes: RawSpan, in scope: Scope) -> Bool {
        let digest = OpenNames.digest(location, of: bytes)
        if sets.count > scope.depthOfSets {
            return sets[sets.count - 1].insert(OpenNames.hash(location, of: bytes)).inserted
        }
        for index in scope.firstEntry..<entries.count where entries[index].digest == digest {
            if OpenNames.isSame(entries[index], location, of: bytes) { return false }
        }
        let entry = Entry(digest: digest, start: location.start, end: location.end, hasEscapes: location.hasEscapes)
        entries.append(entry)
        if entries.count - scope.firstEntry > OpenNames.linearLimit {
            var names: Set<UInt64> = []
            for entry in entries[scope.firstEntry...] {
                let location = JSONScanner.StringRange(start: entry.start, end: entry.end, hasEscapes: entry.hasEscapes)
                names.insert(OpenNames.hash(location, of: bytes))
            }
            sets.append(names)
        }
        return true
    }

    private static func digest(_ location: JSONScanner.StringRange, of bytes: RawSpan) -> UInt64 {
        if location.hasEscapes {
            let text = JSONString.identity(of: bytes.extracting(location.range), hasEscapes: true)
            return digest(text.rawSpan)
        }
        return digest(bytes.extracting(location.range))
    }

    private static func digest(_ name: RawSpan) -> UInt64 {
        let count = name.byteCount
        let head = name.partialWord(at: 0, count: count)
        let tail = count > 8 ? name.word(at: count - 8) : 0
        return (head ^ (tail << 13 | tail >> 51)) &+ UInt64(count) &* 0x9E37_79B9_7F4A_7C15
    }

    private static func hash(_ location: JSONScanner.StringRange, of bytes: RawSpan) -> UInt64 {
        if location.hasEscapes {
            let text = JSONString.identity(of: bytes.extracting(location.range), hasEscapes: true)
            return text.rawSpan.spreadHash()
        }
        return bytes.extracting(location.range).spreadHash()
    }

    private static func isSame(_ entry: Entry, _ location: JSONScanner.StringRange, of bytes: RawSpan) -> Bool {
        if !entry.hasEscapes, !location.hasEscapes {
            return bytes.extracting(entry.start..<entry.end).isEqual(to: bytes.extracting(location.range))
        }
        let one = JSONString.identity(of: bytes.extracting(entry.start..<entry.end), hasEscapes: entry.hasEscapes)
        let other = JSONString.identity(of: bytes.extracting(location.range), hasEscapes: location.hasEscapes)
        return one == other
    }
}
