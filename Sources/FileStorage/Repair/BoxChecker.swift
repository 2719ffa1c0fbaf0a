// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Compares boxes with their stored hashes, without opening them.
struct BoxChecker {
    let file: CheckedFile
    let keys: JournalKeys

    enum Outcome: Hashable {
        case sound
        case damaged
        /// All bytes are zeros, as an erasure leaves them.
        case erased
    }

    func check(_ location: BoxLocation, _ hash: BoxHash) throws(StorageError) -> (outcome: Outcome, bytes: [UInt8]) {
        if location.length == 0 { return (hash == .none ? .sound : .damaged, []) }
        guard UInt64(location.length) <= UInt64(JournalFormat.largestBoxByteCount) else { return (.damaged, []) }
        // Treat an unreadable box as damaged, so that checking continues.
        let bytes = (try? file.read(at: location.offset, count: Int(location.length))) ?? []
        guard bytes.count == Int(location.length) else { return (.damaged, bytes) }
        if try keys.boxHash(bytes.rawSpan).isEqual(to: hash) { return (.sound, bytes) }
        return (bytes.rawSpan.isZero ? .erased : .damaged, bytes)
    }
}
