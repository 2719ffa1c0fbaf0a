// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// Whoever renews may be killed, may fork, and may lose the file that its lease is in.
@Suite("lost leases", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct LostLeaseTests {
    /// One that has the lease and stands before its request, and others that wait for it.
    private struct Scene {
        let endpoint: Endpoint
        let workers: Workers
        let holder: RunningProgram
        let others: [RunningProgram]

        init(_ flags: String..., halt: Int = 3) throws {
            endpoint = try flags.isEmpty ? Endpoint() : Endpoint(flags[0])
            workers = try Workers()
            try workers.signIn(at: endpoint)
            holder = try workers.renewers(1, at: endpoint, ["halt": halt])[0]
            others = try workers.renewers(4, at: endpoint)
            holder.writeLine("go")
            #expect(holder.waitForLines(2).last == "renewing")
        }

        func letOthersWait() throws {
            for other in others { other.writeLine("go") }
            // Until each of them has looked and sleeps between two looks at the lease.
            usleep(100_000)
            #expect(others.allSatisfy { $0.linesSoFar.count == 1 })
            #expect(try endpoint.figures()["renewals"] == 0)
        }

        /// How long it takes until all of the others have the token.
        func timeUntilOthersAreServed() -> Duration {
            ContinuousClock().measure {
                for other in others { #expect(other.waitForLines(2).last == "got at.0.1") }
            }
        }

        func end() throws {
            for program in others + [holder] { try program.finish() }
            endpoint.stop()
        }
    }

    @Test("if the renewing process is killed, one of the waiting ones renews within a second")
    func killed() throws {
        let scene = try Scene()
        try scene.letOthersWait()
        scene.holder.kill()
        let time = scene.timeUntilOthersAreServed()
        let control = try Self.control()
        #expect(time < .seconds(1) + control * 5, "it took \(time), and \(control) where the holder lived")
        #expect(try scene.endpoint.figures() == ["renewals": 1, "refusals": 0, "revocations": 0])
        try scene.end()
    }

    /// How long it takes here and now until all are served where the holder comes to its end.
    private static func control() throws -> Duration {
        let scene = try Scene()
        try scene.letOthersWait()
        scene.holder.writeLine("on")
        let time = scene.timeUntilOthersAreServed()
        try scene.end()
        return time
    }

    @Test("a child forked by the killed process, which continues without exec, does not keep the lease")
    func forked() throws {
        let scene = try Scene(halt: 4)
        try scene.letOthersWait()
        scene.holder.writeLine("on")
        let time = scene.timeUntilOthersAreServed()
        let control = try Self.control()
        #expect(time < .seconds(1) + control * 5, "it took \(time), and \(control) where the holder lived")
        #expect(try scene.endpoint.figures() == ["renewals": 1, "refusals": 0, "revocations": 0])
        try scene.end()
    }

    @Test("if the lease file is deleted in the meantime, no process hangs and all get a token")
    func deleted() throws {
        let scene = try Scene("--grace")
        try FileManager.default.removeItem(atPath: scene.workers.group.folder + "/leases")
        for other in scene.others { other.writeLine("go") }
        _ = scene.timeUntilOthersAreServed()
        scene.holder.writeLine("on")
        #expect(scene.holder.waitForLines(3).last == "got at.0.1")
        // From here on one file counts again.
        #expect(try scene.endpoint.figures()["revocations"] == 0)
        try scene.end()
    }

    @Test("if that makes a server revoke the session, all are informed, and the request is not repeated")
    func revoked() throws {
        let scene = try Scene()
        try FileManager.default.removeItem(atPath: scene.workers.group.folder + "/leases")
        for other in scene.others { other.writeLine("go") }
        _ = scene.timeUntilOthersAreServed()
        scene.holder.writeLine("on")
        // What it spent is spent, and what the others got is still good.
        #expect(scene.holder.waitForLines(3).last == "got at.0.1")
        #expect(try scene.endpoint.figures() == ["renewals": 2, "refusals": 1, "revocations": 1])
        // The holder comes last: one that renews waits for a line before it spends.
        for other in scene.others { other.writeLine("force") }
        var ends = scene.others.map { $0.waitForLines(3).last }
        scene.holder.writeLine("force")
        ends.append(scene.holder.waitForLines(4).last)
        #expect(ends.allSatisfy { $0 == "interaction refreshTokenLost" }, "\(ends)")
        #expect(try scene.endpoint.figures()["renewals"] == 3)
        try scene.end()
    }

    @Test("leases that are held are counted in the figures of the group")
    func counted() throws {
        let scene = try Scene()
        let held = try scene.workers.group.attempt("stats", "--json").json["held_leases"] as? Int
        #expect(held == 1)
        scene.holder.writeLine("on")
        #expect(scene.holder.waitForLines(3).last == "got at.0.1")
        #expect(try scene.workers.group.attempt("stats", "--json").json["held_leases"] as? Int == 0)
        try scene.end()
    }
}
