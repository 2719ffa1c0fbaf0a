// SPDX-License-Identifier: Apache-2.0

import Glibc
import Operations

/// Times beside their floors, in turns, so that whatever else the machine does meets both.
struct Ratios {
    let folder: CacheFolder

    init(_ folder: CacheFolder) {
        self.folder = folder
    }

    /// Lines of a name, our time and the floor's, in nanoseconds.
    func report() throws {
        let workbench = try Workbench(folder, using: folder.count)
        try reportHits(workbench)
        try reportSaves(workbench)
    }

    private func reportHits(_ workbench: Workbench) throws {
        let order = folder.randomOrder
        let hits = workbench.hits(in: order)
        let probes = Floor.DictionaryProbe(count: folder.count, order: order)
        var own: [Double] = []
        var floor: [Double] = []
        for _ in 0..<31 {
            floor.append(probes.nanoseconds())
            let watch = Stopwatch()
            try hits.run(0)
            own.append(watch.seconds / Double(order.count) * 1e9)
        }
        print("hit \(own.lowerQuartile) \(floor.lowerQuartile)")
    }

    private func reportSaves(_ workbench: Workbench) throws {
        let saving = workbench.savingResponses
        try saving.warmUp()
        var own: [Double] = []
        var failure: (any Error)?
        let bytes = [UInt8](repeating: 7, count: 5_600)
        let floor = Floor.appends(of: bytes, rounds: 150, in: folder.path) { round in
            do {
                try saving.prepare(round)
                let watch = Stopwatch()
                try saving.run(round)
                own.append(watch.seconds)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        print("save \(own.lowerQuartile * 1e9) \(floor.lowerQuartile * 1e9)")
    }
}
