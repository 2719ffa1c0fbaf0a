// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Reads a pipe to its end on a thread of its own.
final class Gatherer: Sendable {
    private let gathered = Mutex(Data())
    private let done = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle) {
        let thread = Thread { [self] in
            // `read(upToCount:)` would wait until that much has come.
            while true {
                let piece = handle.availableData
                if piece.isEmpty { break }
                gathered.withLock { $0.append(piece) }
            }
            try? handle.close()
            done.signal()
        }
        thread.start()
    }

    /// What has come so far.
    var data: Data { gathered.withLock { $0 } }

    /// Returns at the end of the pipe; fails where a child of the program keeps it open.
    func wait() throws {
        try done.waitForSignal()
        done.signal()
    }
}
