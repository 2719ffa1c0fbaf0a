internal import GroupDirectory
internal import RecordStorage

/// A header that verifies, from the start of a journal or from the copy before the frames.
struct SalvagedHeader {
    let header: JournalHeader
    let keys: JournalKeys
    /// What is wrong with the one or the other.
    let findings: [JournalFinding]

    private static let count = UInt64(JournalHeader.byteCount)

    /// The caller holds no lock: keys are unlocked. The header of a file never changes, so what is found stays true.
    ///
    /// - Throws: ``StorageError/Code/unsupportedVersion`` and what unlocking throws; where no header verifies, what was
    ///   wrong with the first one.
    static func find(
        in file: CheckedFile,
        keyChain: KeyChain,
        until deadline: Deadline
    ) throws(StorageError) -> SalvagedHeader {
        do throws(StorageError) {
            let first = try read(in: file, at: 0, keyChain, deadline)
            let copy = try? file.read(at: first.header.copyOffset, count: JournalHeader.byteCount)
            var findings: [JournalFinding] = []
            if copy != first.bytes {
                findings.append(JournalFinding(.headerCopy, at: first.header.copyOffset, count: count))
            }
            return SalvagedHeader(header: first.header, keys: first.keys, findings: findings)
        } catch {
            // A newer version is none of ours, and a wrong key stays one.
            guard error.code == .damaged || error.code == .foreign || error.code == .keyRejected else { throw error }
            guard let copy = try findCopy(in: file, keyChain, deadline) else {
                throw error.at(file.path)
            }
            let finding = JournalFinding(.header, at: 0, count: count)
            return SalvagedHeader(header: copy.header, keys: copy.keys, findings: [finding])
        }
    }

    /// The same; `nil` where no header verifies.
    static func findIfLeft(
        in file: CheckedFile,
        keyChain: KeyChain,
        until deadline: Deadline
    ) throws(StorageError) -> SalvagedHeader? {
        do throws(StorageError) {
            return try find(in: file, keyChain: keyChain, until: deadline)
        } catch {
            let start = try file.read(at: 0, count: 8)
            let isJournal = start.count == 8 && start.raw.u64(0) == JournalHeader.magic
            // A journal that is foreign is another group's, and whole.
            guard error.code == .damaged || error.code == .foreign && !isJournal else { throw error }
            return nil
        }
    }

    private static func read(
        in file: CheckedFile,
        at offset: UInt64,
        _ keyChain: KeyChain,
        _ deadline: Deadline
    ) throws(StorageError) -> (header: JournalHeader, keys: JournalKeys, bytes: [UInt8]) {
        let bytes = try file.read(at: offset, count: JournalHeader.byteCount)
        let header = try JournalHeader(decoding: bytes.raw)
        return (header, try keyChain.keys(for: header, bytes: bytes.raw, until: deadline), bytes)
    }

    /// Pages that look like a header and are none, of which no more are unlocked: each may take seconds or ask a person.
    private static let largestAttemptCount = 4

    /// The first page that is a header, verifies, and says that it is where it is.
    private static func findCopy(
        in file: CheckedFile,
        _ keyChain: KeyChain,
        _ deadline: Deadline
    ) throws(StorageError) -> (header: JournalHeader, keys: JournalKeys)? {
        let first = try file.read(at: 0, count: JournalHeader.byteCount)
        let byteCount = try file.currentStatus().identity.size
        var window = ReadWindow(file, limit: byteCount, readAhead: 1 << 20)
        var offset = count
        var dataEnd = offset
        var attemptCount = 0
        while attemptCount < largestAttemptCount {
            if offset >= dataEnd {
                // No header stands in a hole.
                guard let data = try file.data(from: offset, to: byteCount) else { return nil }
                offset = max(offset, data.lowerBound & ~(count - 1))
                dataEnd = data.upperBound
            }
            guard let at = try window.load(at: offset, count: JournalHeader.byteCount) else { return nil }
            let page = window.bytes.raw.extracting(at..<at + JournalHeader.byteCount)
            if page.u64(0) == JournalHeader.magic, page.array != first,
                let header = try? JournalHeader(decoding: page), header.copyOffset == offset
            {
                do throws(StorageError) {
                    return (header, try keyChain.keys(for: header, bytes: page, until: deadline))
                } catch {
                    guard error.code == .damaged else { throw error }
                    attemptCount += 1
                }
            }
            offset += count
        }
        return nil
    }
}
