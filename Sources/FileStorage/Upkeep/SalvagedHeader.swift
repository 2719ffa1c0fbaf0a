internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// A header that verifies, from the start of a journal or from the copy before the frames.
struct SalvagedHeader {
    let header: JournalHeader
    let keys: JournalKeys
    /// What is wrong with the one or the other.
    let findings: [JournalFinding]

    private static let count = UInt64(JournalHeader.byteCount)

    /// The caller holds no lock: keys are unlocked. The header of a file never changes, so what is found stays true.
    ///
    /// - Throws: as ``findIfLeft(in:keyChain:until:costs:)``; where no header is left, what was wrong with the first one.
    static func find(
        in file: CheckedFile,
        keyChain: KeyChain,
        until deadline: Deadline
    ) throws(StorageError) -> SalvagedHeader {
        if let found = try findIfLeft(in: file, keyChain: keyChain, until: deadline) { return found }
        do throws(StorageError) {
            let bytes = try file.read(at: 0, count: JournalHeader.byteCount)
            _ = try JournalHeader(decoding: bytes.rawSpan)
        } catch {
            throw error.at(file.path)
        }
        throw StorageError(.damaged, path: file.path, detail: "the header does not verify")
    }

    /// The same.
    ///
    /// - Parameters:
    ///   - file: the journal.
    ///   - keyChain: gives the keys of headers.
    ///   - deadline: for other threads that unlock the same keys.
    ///   - costs: how often somebody was asked for something by now, in order to unlock keys.
    /// - Returns: `nil` where no header is left: whatever looks like one does not verify with the keys that it says.
    /// - Throws: ``StorageError/Code/unsupportedVersion``; what unlocking the keys of a header throws, where none verifies:
    ///   another key may open it.
    static func findIfLeft(
        in file: CheckedFile,
        keyChain: KeyChain,
        until deadline: Deadline,
        costs: () -> Int = { 0 }
    ) throws(StorageError) -> SalvagedHeader? {
        var search = HeaderSearch(file: file, keyChain: keyChain, deadline: deadline, failure: nil)
        let bytes = try file.read(at: 0, count: JournalHeader.byteCount)
        if let header = try decode(bytes), let keys = try search.keys(for: header, bytes.rawSpan, isFirst: true) {
            let copy = try? file.read(at: header.copyOffset, count: JournalHeader.byteCount)
            let isSound = copy == bytes
            let findings = isSound ? [] : [JournalFinding(.headerCopy, at: header.copyOffset, count: count)]
            return SalvagedHeader(header: header, keys: keys, findings: findings)
        }
        guard let copy = try search.findCopy(otherThan: bytes, costs: costs) else {
            if let failure = search.failure { throw failure.at(file.path) }
            return nil
        }
        let finding = JournalFinding(.header, at: 0, count: count)
        return SalvagedHeader(header: copy.header, keys: copy.keys, findings: [finding])
    }

    /// - Returns: `nil` where it is no header.
    /// - Throws: ``StorageError/Code/unsupportedVersion``.
    private static func decode(_ bytes: [UInt8]) throws(StorageError) -> JournalHeader? {
        do throws(StorageError) {
            return try JournalHeader(decoding: bytes.rawSpan)
        } catch {
            // A newer version is none of ours.
            guard error.code == .damaged || error.code == .foreign else { throw error }
            return nil
        }
    }
}

/// Looks for a header that verifies, among whatever looks like one: who can write the file can write pages that do.
private struct HeaderSearch {
    let file: CheckedFile
    let keyChain: KeyChain
    let deadline: Deadline
    /// What unlocking the first header met of which nobody knows whether it verifies.
    var failure: StorageError?

    /// How often somebody is asked for something because of pages behind the first one, or waited for in vain. After the first
    /// time the deadline counts too.
    private static let largestCost = 4
    private static let count = UInt64(JournalHeader.byteCount)

    /// - Returns: `nil` where the header does not verify, or it is not known whether it does.
    mutating func keys(
        for header: JournalHeader,
        _ bytes: RawSpan,
        isFirst: Bool = false
    ) throws(StorageError) -> JournalKeys? {
        do throws(StorageError) {
            return try keyChain.keys(for: header, bytes: bytes, until: deadline)
        } catch {
            switch error.code {
            case .damaged: return nil
            case .foreign, .keyRejected, .keyMissing, .unsupportedKDF: failure = failure ?? error
            // Of the first one somebody is told at once, who can do something about it.
            default:
                if isFirst { throw error }
                failure = failure ?? error
            }
            return nil
        }
    }

    /// The first page that is a header, verifies, and says that it is where it is.
    mutating func findCopy(
        otherThan first: [UInt8],
        costs: () -> Int
    ) throws(StorageError) -> (header: JournalHeader, keys: JournalKeys)? {
        let byteCount = try file.currentStatus().identity.size
        var window = ReadWindow(file, limit: byteCount, readAhead: 1 << 20)
        var offset = Self.count
        var dataEnd = offset
        let start = costs()
        while mayGoOn(afterCosts: costs() - start) {
            if offset >= dataEnd {
                // No header stands in a hole.
                guard let data = try file.data(from: offset, to: byteCount) else { return nil }
                offset = max(offset, data.lowerBound & ~(Self.count - 1))
                dataEnd = data.upperBound
            }
            let found = try window.load(at: offset, count: JournalHeader.byteCount, dataEnd: dataEnd)
            guard let at = found else { return nil }
            let page = window.bytes.rawSpan.extracting(at..<at + JournalHeader.byteCount)
            if page.uint64(at: 0) == JournalHeader.magic, page.copied() != first,
                let header = try? JournalHeader(decoding: page), header.copyOffset == offset,
                let keys = try self.keys(for: header, page)
            {
                return (header, keys)
            }
            offset += Self.count
        }
        throw StorageError(
            failure?.code ?? .damaged,
            path: failure?.path ?? file.path,
            detail: failure?.detail
                ?? "too many pages of the file look like its header and ask for something to open them",
            errno: failure?.errno
        )
    }

    private func mayGoOn(afterCosts costs: Int) -> Bool {
        costs == 0 || costs < Self.largestCost && !deadline.hasPassed
    }
}
