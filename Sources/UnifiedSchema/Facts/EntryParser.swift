// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Reads one entry from JSON. Copies everything except secrets, whose ranges it returns.
package enum EntryParser {
    /// The entry, and the ranges of its secrets in the given bytes.
    package struct Result: Sendable {
        package let facts: EntryFacts
        package let secrets: SecretRanges
    }

    /// Reads the JSON object of an entry under `key` in `section`.
    ///
    /// `json` contains only the object and white space. It may be secret memory, because only facts are copied out of
    /// it. An unknown section makes the entry opaque.
    ///
    /// - Throws: `notAnObject` for other JSON; violations of JSON's rules or of a limit.
    package static func parse(
        _ json: RawSpan,
        section: UTF8Text,
        key: UTF8Text?,
        limits: DocumentLimits = DocumentLimits()
    ) throws(SchemaError) -> Result {
        do throws(SchemaError) {
            guard json.byteCount <= limits.entryBytes else {
                throw SchemaError(.limitExceeded, at: 0, rule: "an entry is longer than \(limits.entryBytes) bytes")
            }
            // An entry is two levels below its document.
            var scanner = JSONScanner(json, maximumDepth: limits.depth)
            var members: [EntryMembers.Member] = []
            let range = try EntryMembers.scan(&scanner, depth: 3, into: &members)
            scanner.skipWhitespace()
            guard scanner.position == json.byteCount else {
                throw scanner.malformed("nothing may follow the object of an entry")
            }
            let location = EntryLocation(
                section: DocumentSection(name: section),
                sectionName: JSONString.quotedContent(section),
                key: key.map { .apart(JSONString.quotedContent($0)) } ?? .none
            )
            return EntryMembers.assemble(json, range: range, members: members, at: location)
        } catch {
            throw error.onLine(json.lineNumber(at: error.byteOffset))
        }
    }
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
