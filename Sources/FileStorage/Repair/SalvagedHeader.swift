// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// A header that verifies: the first page of a journal, or its copy before the frames.
struct SalvagedHeader {
    let header: JournalHeader
    let keys: JournalKeys
    /// Damage to either header.
    let findings: [JournalFinding]

    private static let count = UInt64(JournalHeader.byteCount)

    /// Finds a header that verifies. The caller must hold no lock, because keys may have to be unlocked. The result
    /// stays valid, because a file's header never changes.
    ///
    /// - Throws: the errors of ``findIfLeft(in:keyChain:until:costs:)``; if no header is left, the error of the first
    ///   one.
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

    /// Finds a header that verifies.
    ///
    /// - Parameters:
    ///   - file: the journal.
    ///   - keyChain: provides the keys.
    ///   - deadline: for waiting while another thread unlocks the same keys.
    ///   - costs: the number of times the user or a service has been asked for keys so far.
    /// - Returns: `nil` if no header is left: every candidate fails to verify under the keys that its slots yield.
    /// - Throws: ``StorageError/Code/unsupportedVersion``; if none verifies, the error of unlocking a header's keys,
    ///   because another key may open it.
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

    /// - Returns: `nil` if it is not a header.
    /// - Throws: ``StorageError/Code/unsupportedVersion``.
    private static func decode(_ bytes: [UInt8]) throws(StorageError) -> JournalHeader? {
        do throws(StorageError) {
            return try JournalHeader(decoding: bytes.rawSpan)
        } catch {
            // A header of a newer version must stay as it is.
            guard error.code == .damaged || error.code == .foreign else { throw error }
            return nil
        }
    }
}

/// Searches the file for a header that verifies. A program that can write to the file can plant pages that look like
/// one.
private struct HeaderSearch {
    let file: CheckedFile
    let keyChain: KeyChain
    let deadline: Deadline
    /// The error of unlocking the first header whose validity is unknown.
    var failure: StorageError?

    /// The number of times that pages after the first may ask the user or a service for keys. Once one has, the
    /// deadline applies too.
    private static let largestCost = 4
    private static let count = UInt64(JournalHeader.byteCount)

    /// - Returns: `nil` if the header does not verify, or its validity is unknown.
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
            // Report a problem with the first header at once, because the user can act on it.
            default:
                if isFirst { throw error }
                failure = failure ?? error
            }
            return nil
        }
    }

    /// The first page that is a header, verifies, and is at the offset that its fields give for the copy.
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
                // Skip holes, which cannot contain a header.
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
                ?? "too many pages of the file look like its header and need a key",
            errno: failure?.errno
        )
    }

    private func mayGoOn(afterCosts costs: Int) -> Bool {
        costs == 0 || costs < Self.largestCost && !deadline.hasPassed
    }
}
