// SPDX-License-Identifier: Apache-2.0

import Glibc
import Operations
import TokenCaching

/// Figures of a whole group, each in a process of its own so that memory is that of it alone.
enum WholeGroup {
    /// Imports the document in the folder, and prints the time and the most memory beyond what there was before.
    static func reportImport(_ folder: CacheFolder) throws {
        let before = Memory.resident
        let watch = Stopwatch()
        try folder.importDocument()
        print("import", watch.seconds * 1e9)
        print("import-peak", Memory.peak - before)
        try reportOpening(folder)
    }

    /// Prints how long it takes from nothing to a token in hand, where nothing was saved since the import.
    private static func reportOpening(_ folder: CacheFolder) throws {
        var times: [Double] = []
        for round in 0..<41 {
            let query = folder.query(round * 7919 % folder.count)
            let watch = Stopwatch()
            let cache = try folder.open()
            guard case .valid(let token) = try cache.token(for: query) else {
                throw UnexpectedOutcome(operation: "open")
            }
            blackHole(try token.withSecret { $0.byteCount })
            times.append(watch.seconds * 1e9)
            cache.close()
        }
        print("open-to-first-token", times.median)
    }

    /// Prints bytes in memory for each account: after the first token, and after a token of every account.
    static func reportMemory(_ folder: CacheFolder) throws {
        let before = Memory.resident
        let cache = try folder.open()
        _ = try cache.token(for: folder.query(0))
        let opened = Memory.resident
        for index in 0..<folder.count { _ = try cache.token(for: folder.query(index)) }
        print("resident-opened", (opened - before) / folder.count)
        print("resident-used", (Memory.resident - before) / folder.count)
    }

    /// Saves responses for two seconds, and prints what each took.
    static func reportWriting(_ folder: CacheFolder) throws {
        let saving = try Workbench(folder, using: 10).savingResponses
        try saving.warmUp()
        let watch = Stopwatch()
        var times: [Double] = []
        while watch.seconds < 2 {
            try saving.prepare(times.count)
            let one = Stopwatch()
            try saving.run(times.count)
            times.append(one.seconds * 1e9)
        }
        print("saves-per-second", Double(times.count) / watch.seconds)
        print("wait-p99", times.p99)
        print("wait-most", times.max() ?? .nan)
    }
}
