/// Reads a document entry by entry out of a window that the caller owns and refills.
///
/// A document of any size goes through a window that holds its longest entry; the window may be locked memory, as this
/// copies nothing but facts out of it. Besides, memory is eight bytes and their overhead per key of the section that is
/// being read.
///
/// What is yielded: the entries of the known sections; each member of a section that is not known, opaque; each
/// top-level member that is no object, or an empty one, as one opaque entry without key. Names that stand twice are
/// refused: members of an entry, keys of a section, sections. Of a cache of ADAL, each item of its array.
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
    /// What one call came to.
    package enum Step {
        case entry(DocumentEntry)
        /// An entry that cannot be taken, when bad ones are collected; the reading goes on behind it.
        case bad(SchemaError)
        /// The window does not hold the next entry: drop its first `discarding` bytes, make room for `capacity` bytes
        /// in all, fill up and call again.
        case needsMore(discarding: Int, capacity: Int)
        /// The document is over, and nothing but white space follows it.
        case end
    }

    package let form: DocumentForm
    package let limits: DocumentLimits
    /// Whether a bad entry is reported and passed over; if not, it throws. JSON that is broken always throws.
    package let collectsBadEntries: Bool

    var phase = Phase.beforeDocument
    /// Offset in the window of what was not read yet.
    var position = 0
    /// Bytes and line feeds before the window.
    var bytesBefore = 0
    var linesBefore = 0
    /// Whether there may be line feeds in what was read of the window.
    var sawNewline = false
    var section = EntryLocation.noSection
    /// Hashes of the names of sections, and of the keys of the section that is being read.
    var sectionNames = SpreadHashSet()
    var keys = SpreadHashSet()
    /// What the last refill of ``next(from:)`` said.
    var inputEnded = false
    /// Kept for their memory.
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

    /// The smallest window that is asked for.
    static let smallestWindow = 64 << 10

    /// The most bytes that one entry can take with its key.
    var longestUnit: Int { limits.entryBytes + limits.keyBytes + 4096 }

    /// Goes on to the next entry. After `.entry` the window must stay until its secrets were copied; ranges count from
    /// its start.
    ///
    /// `isLast` says that nothing follows the window.
    ///
    /// - Throws: what breaks the rules of JSON, with its place in the document; any bad entry unless they are collected.
    ///   After an error the reader is of no further use.
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
        // Line feeds stand only between values, so the scanner has seen every one.
        if sawNewline { linesBefore += window.newlineCount(before: discarded) }
        sawNewline = false
        position = 0
        if scratch.capacity > 1024 { scratch = [] }
        let kept = window.byteCount - discarded
        let capacity = max(DocumentReader.smallestWindow, min(kept * 2, longestUnit))
        return .needsMore(discarding: discarded, capacity: max(capacity, kept + 1))
    }

    /// The error with its place in the document instead of the window.
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

/// How a document is laid out.
package enum DocumentForm: Hashable, Sendable {
    /// The unified schema of MSAL: an object of sections, which are objects of entries.
    case unified
    /// `accessTokens.json` of ADAL for Python and the Azure CLI: an array of entries, which name their keys themselves.
    case adal
}

/// How much a reader takes. Beyond any of these it throws `limitExceeded` with the place.
package struct DocumentLimits: Hashable, Sendable {
    /// How deep values may nest, the document itself being the first level. At most 128.
    package var depth = 32
    /// Bytes of the whole document.
    package var documentBytes = 64 << 20
    /// Bytes of one entry, its key not counted, or of one top-level value that has no meaning here. Facts and secrets
    /// of such an entry fit into boxes of 1 MiB, whatever its key.
    package var entryBytes = 960 << 10
    /// Bytes of one key or section name, as written.
    package var keyBytes = 64 << 10

    package init() {}
}

/// Why a document could not be read or written: what stands in it, or what carries it.
package enum DocumentError<Failure: Error>: Error {
    case schema(SchemaError)
    case transport(Failure)
}

/// One entry out of a document.
package struct DocumentEntry: Sendable {
    package let facts: EntryFacts
    /// Where its secrets lie in the window, until that is refilled.
    package let secrets: SecretRanges
    /// Where its value begins, from the start of the document.
    package let byteOffset: Int
}
