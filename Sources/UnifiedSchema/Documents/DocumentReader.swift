// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Reads a document entry by entry from a window that the caller owns and refills.
///
/// A document of any size can be read through a window that fits its longest entry; the window may be locked memory,
/// because only facts are copied out of it. Other memory use is eight bytes plus overhead per key of the current
/// section.
///
/// Yields the entries of the known sections; each member of an unknown section, as an opaque entry; each top-level
/// member that is an empty object or not an object, as one opaque entry without a key. A known section that is empty or
/// null yields nothing. Rejects duplicate names: members of an entry, keys of a section, sections. In an ADAL cache,
/// yields each item of its array.
///
///     var reader = DocumentReader()
///     while true {
///         switch try reader.next(in: window.bytes, isLast: window.isLast) {
///         case .entry(let entry): …
///         case .bad(let error): …
///         case .needsMore(let discard, let capacity): window.refill(…)
///         case .end: return
///         }
///     }
package struct DocumentReader: ~Copyable {
    /// The result of one call.
    package enum Step {
        case entry(DocumentEntry)
        /// A rejected entry, if bad entries are collected; reading continues after it.
        case bad(SchemaError)
        /// The window does not contain the next entry: drop its first `discarding` bytes, provide `capacity` bytes in
        /// all, refill and call again.
        case needsMore(discarding: Int, capacity: Int)
        /// The document has ended, followed only by white space.
        case end
    }

    package let form: DocumentForm
    package let limits: DocumentLimits
    /// Whether a bad entry is reported and skipped, instead of thrown. Malformed JSON always throws.
    package let collectsBadEntries: Bool

    var phase = Phase.beforeDocument
    /// The offset of the first unread byte in the window.
    var position = 0
    /// The number of bytes and line feeds before the window.
    var bytesBefore = 0
    var linesBefore = 0
    /// Whether the part of the window that was read may contain line feeds.
    var sawNewline = false
    var section = EntryLocation.noSection
    /// Hashes of the names of sections, and of the keys of the current section.
    var sectionNames = SpreadHashSet()
    /// Whether the document is a cache, as far as it was read: it has a known section, empty or not, or is an array of
    /// ADAL.
    package internal(set) var hasKnownSection = false
    var keys = SpreadHashSet()
    /// The result of the last refill by ``next(from:)``.
    var inputEnded = false
    /// Reused for its memory.
    var scratch: [EntryMembers.Member] = []
    var names = OpenNames()

    enum Phase {
        case beforeDocument
        case firstSection
        case nextSection
        case firstEntry
        case nextEntry
        case firstItem
        case nextItem
        case skipping(JSONSkipper, inSection: Bool, SchemaError)
        case behindDocument
    }

    package init(
        _ form: DocumentForm = .unified,
        limits: DocumentLimits = DocumentLimits(),
        collectsBadEntries: Bool = false
    ) {
        self.form = form
        self.limits = limits
        self.collectsBadEntries = collectsBadEntries
    }

    /// The smallest window that is requested.
    static let smallestWindow = 64 << 10

    /// The maximum size of an entry with its key.
    var longestUnit: Int { limits.entryBytes + limits.keyBytes + 4096 }

    /// Reads the next entry. After `.entry` the window must remain until its secrets have been copied; ranges are
    /// relative to its start.
    ///
    /// `isLast` says that the document ends with the window.
    ///
    /// - Throws: violations of JSON's rules, with their location in the document; any bad entry unless these are
    ///   collected. The reader must not be used after an error.
    package mutating func next(in window: RawSpan, isLast: Bool) throws(SchemaError) -> Step {
        do throws(SchemaError) {
            guard bytesBefore + window.byteCount <= limits.documentBytes else {
                let over = limits.documentBytes - bytesBefore
                throw SchemaError(.limitExceeded, at: max(0, over), rule: "the document is longer than the limit")
            }
            while true {
                if let step = try advance(window, isLast) { return step }
            }
        } catch {
            guard error.code == .unexpectedEnd, !isLast else { throw placed(error, in: window) }
            guard window.byteCount - position <= longestUnit else {
                let rule = "a key with the white space around it is longer than the limit"
                throw placed(SchemaError(.limitExceeded, at: position, rule: rule), in: window)
            }
            return needsMore(window)
        }
    }

    private mutating func needsMore(_ window: RawSpan) -> Step {
        let discarded = position
        bytesBefore += discarded
        // Line feeds occur only between values, so the scanner has seen every one.
        if sawNewline { linesBefore += window.newlineCount(before: discarded) }
        sawNewline = false
        position = 0
        if scratch.capacity > 1024 { scratch = [] }
        let kept = window.byteCount - discarded
        let capacity = max(DocumentReader.smallestWindow, min(kept * 2, longestUnit))
        return .needsMore(discarding: discarded, capacity: max(capacity, kept + 1))
    }

    /// The error with its location in the document instead of the window.
    func placed(_ error: SchemaError, in window: RawSpan) -> SchemaError {
        SchemaError(
            error.code,
            at: bytesBefore + error.byteOffset,
            line: linesBefore + window.lineNumber(at: error.byteOffset),
            rule: error.rule
        )
    }
}

extension EntryLocation {
    static let noSection = EntryLocation(section: nil, sectionName: Content(bytes: [], hasEscapes: false), key: .none)

    /// The same section with a key.
    func with(key location: JSONScanner.StringRange) -> EntryLocation {
        EntryLocation(section: section, sectionName: sectionName, key: .inSource(location))
    }
}

/// The layout of a document.
package enum DocumentForm: Hashable, Sendable {
    /// The unified schema of MSAL: an object of sections, which are objects of entries.
    case unified
    /// `accessTokens.json` of ADAL for Python and the Azure CLI: an array of entries, which name their keys themselves.
    case adal
}

/// The limits of a reader. Beyond any of them it throws `limitExceeded` with the location.
package struct DocumentLimits: Hashable, Sendable {
    /// The maximum nesting of values, counting the document itself as the first level. At most 128.
    package var depth = 32
    /// The maximum size of the document.
    package var documentBytes = 64 << 20
    /// The maximum size of one entry without its key, or of one unknown top-level value. Facts and secrets of such an
    /// entry fit into boxes of 1 MiB, whatever its key.
    package var entryBytes = 960 << 10
    /// The maximum size of one key or section name, as written.
    package var keyBytes = 64 << 10

    package init() {}
}

/// Why a document could not be read or written: its content, or the stream that carries it.
package enum DocumentError<Failure: Error>: Error {
    case schema(SchemaError)
    case transport(Failure)
}

/// One entry of a document.
package struct DocumentEntry: Sendable {
    package let facts: EntryFacts
    /// The ranges of its secrets in the window, until that is refilled.
    package let secrets: SecretRanges
    /// The offset of its value from the start of the document.
    package let byteOffset: Int
}

extension RawSpan {
    /// The line of the byte at `offset`, counted from 1.
    func lineNumber(at offset: Int) -> Int {
        1 + newlineCount(before: min(offset, byteCount))
    }

    /// The number of line feeds before `end`.
    func newlineCount(before end: Int) -> Int {
        let pattern = UInt64(ASCII.newline) &* ASCII.lowBits
        var count = 0
        var offset = 0
        while offset + 8 <= end {
            // Eight counters in one word, which cannot overflow within 255 rounds.
            var counters: UInt64 = 0
            let stop = min(end - 7, offset + 255 * 8)
            while offset < stop {
                let difference = word(at: offset) ^ pattern
                // Exact for each byte, unlike the usual test, in which a borrow can propagate.
                let isNonzero = ((difference & ~ASCII.highBits) &+ ~ASCII.highBits) | difference
                counters &+= (~isNonzero & ASCII.highBits) >> 7
                offset += 8
            }
            let pairs = (counters & 0x00FF_00FF_00FF_00FF) &+ (counters >> 8 & 0x00FF_00FF_00FF_00FF)
            count += Int((pairs &* 0x0001_0001_0001_0001) >> 48)
        }
        while offset < end {
            if byte(at: offset) == ASCII.newline { count += 1 }
            offset += 1
        }
        return count
    }
}
