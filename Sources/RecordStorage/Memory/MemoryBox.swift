// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The sealed secret of one version of a record, shared by all snapshots that contain this version.
final class MemoryBox: Sendable {
    private let bytes: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) {
        self.bytes = Mutex(bytes)
    }

    /// Overwrites and drops the bytes, for every snapshot.
    func erase() {
        bytes.withLock { bytes in
            for index in bytes?.indices ?? 0..<0 { bytes?[index] = 0 }
            bytes = nil
        }
    }

    /// The bytes; `nil` once they are erased.
    var content: [UInt8]? {
        bytes.withLock { $0 }
    }
}
