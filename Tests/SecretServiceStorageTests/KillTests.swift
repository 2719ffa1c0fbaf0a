// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import SecretServiceStorage
import SeededRandom
import SystemPackage
import Testing

@Suite("Processes that share a group in a keyring", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct KillTests {
    @Test("lose nothing that was acknowledged, and tear no partition, whenever they are killed")
    func kills() throws {
        let keyring = try PrivateKeyring()
        let group = try ScratchGroup(keyring.location())
        try group.create().close()
        let workers = Scale.pick(4, release: 8)
        let saves = Scale.pick(25, release: 200)
        var random = SeededGenerator(for: "Kills beside a keyring")
        let program = Program(path: Program.folder + "/keyring-worker")
        var acknowledged = [Int](repeating: 0, count: workers)
        var kills = 0
        while acknowledged.contains(where: { $0 < saves }) {
            let running = try (0..<workers).map { worker in
                let range = ["\(acknowledged[worker] + 1)", "\(saves)"]
                return try program.start([keyring.address, group.root.string, group.name.text, "\(worker)"] + range)
            }
            // Some are killed in the middle of whatever they do, once they have saved a little; the others come to their end.
            var victims = running.indices.filter { _ in Bool.random(using: &random) && kills < 4 * workers }
            if victims.isEmpty && kills == 0 { victims = [0] }
            for victim in victims {
                let left = saves - acknowledged[victim]
                _ = running[victim].waitForLines(Int.random(in: 0...max(0, left / 4), using: &random))
                usleep(UInt32.random(in: 0...20_000, using: &random))
                running[victim].kill()
            }
            for (worker, process) in running.enumerated() {
                let finished = try process.finish()
                if let last = finished.lines.last.flatMap({ Int($0) }) { acknowledged[worker] = last }
                // One that was to be killed may have come to its end before.
                let wasKilled = victims.contains(worker) && finished.exitCode == nil
                try #require(wasKilled || finished.exitCode == 0, "worker \(worker): \(finished.messages)")
                if wasKilled { kills += 1 }
            }
            let store = try group.open()
            for worker in 0..<workers where acknowledged[worker] > 0 {
                let shared = try numbers(of: UInt64(worker), in: 0, store)
                let own = try numbers(of: UInt64(worker), in: UInt64(worker + 1), store)
                #expect(shared.count == 2 && shared[0] == shared[1] && shared[0] >= acknowledged[worker])
                #expect(own.count == 1 && own[0] >= acknowledged[worker])
            }
        }
        #expect(kills > 0)
    }

    /// What a worker saved in a partition.
    private func numbers(of worker: UInt64, in partition: UInt64, _ store: SecretServiceStore) throws -> [Int] {
        let contents = try store.contents(of: Records.partition(partition))
        return zip(contents.records, contents.facts).filter { $0.0.tag.first == worker }.map { _, facts in
            (facts ?? []).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
