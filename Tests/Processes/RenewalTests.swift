// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// Several processes want a new token at once, at an endpoint that revokes the session when a refresh token is reused.
@Suite("renewals", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct RenewalTests {
    @Test(
        "fifty processes that find one expired token make one request, and all get the token",
        arguments: TestStorage.allCases
    )
    func one(_ storage: TestStorage) throws {
        let keyring = try storage.makeKeyring()
        // Each time fifty new processes, which then do it again with the next session of the same account.
        for _ in 0..<Scale.pick(1, release: 20) {
            let endpoint = try Endpoint("--delay", "50")
            defer { endpoint.stop() }
            let workers = try Workers(in: keyring)
            try workers.signIn(at: endpoint)
            let renewers = try workers.renewers(50, at: endpoint)
            for round in 0..<5 {
                if round > 0 { try workers.signIn(at: endpoint) }
                for renewer in renewers { renewer.writeLine("go") }
                for renewer in renewers {
                    #expect(renewer.waitForLines(round + 2).last == "got at.\(round).1", "round \(round)")
                }
                #expect(try endpoint.figures() == ["renewals": round + 1, "refusals": 0, "revocations": 0])
            }
            for renewer in renewers { try renewer.finish() }
        }
    }

    @Test(
        "two applications of a family share one lease: each renews with what the other left",
        arguments: TestStorage.allCases
    )
    func family(_ storage: TestStorage) throws {
        let endpoint = try Endpoint("--delay", "50")
        defer { endpoint.stop() }
        let workers = try Workers(in: storage.makeKeyring())
        try workers.signIn(at: endpoint)
        let first = try workers.renewers(3, at: endpoint)
        let second = try workers.renewers(3, at: endpoint, ["client": 1])
        for renewer in first + second { renewer.writeLine("go") }
        for renewer in first + second { #expect(renewer.waitForLines(2).last?.hasPrefix("got at.0.") == true) }
        #expect(try endpoint.figures() == ["renewals": 2, "refusals": 0, "revocations": 0])
        for renewer in first + second { try renewer.finish() }
    }

    @Test(
        "if the renewing process is killed before its request leaves, the next one renews",
        arguments: TestStorage.allCases
    )
    func killedBefore(_ storage: TestStorage) throws {
        let endpoint = try Endpoint()
        defer { endpoint.stop() }
        let workers = try Workers(in: storage.makeKeyring())
        try workers.signIn(at: endpoint)
        let doomed = try workers.renewers(1, at: endpoint, ["halt": 1])[0]
        let others = try workers.renewers(4, at: endpoint)
        doomed.writeLine("go")
        #expect(try doomed.finish().exitCode == nil)
        for other in others { other.writeLine("go") }
        for other in others { #expect(other.waitForLines(2).last == "got at.0.1") }
        #expect(try endpoint.figures() == ["renewals": 1, "refusals": 0, "revocations": 0])
        for program in others { try program.finish() }
    }

    @Test(
        "if it is killed after the token was redeemed, one more tries, and all get the result",
        arguments: [false, true],
        TestStorage.allCases
    )
    func killedAfter(hasGrace: Bool, _ storage: TestStorage) throws {
        let endpoint = hasGrace ? try Endpoint("--grace") : try Endpoint()
        defer { endpoint.stop() }
        let workers = try Workers(in: storage.makeKeyring())
        try workers.signIn(at: endpoint)
        let doomed = try workers.renewers(1, at: endpoint, ["halt": 2])[0]
        let others = try workers.renewers(4, at: endpoint)
        doomed.writeLine("go")
        try doomed.finish()
        for other in others { other.writeLine("go") }
        let expected = hasGrace ? "got at.0.1" : "interaction refreshTokenLost"
        for other in others { #expect(other.waitForLines(2).last == expected) }
        #expect(try endpoint.figures()["renewals"] == 2)
        // Asked again, nobody tries again in vain.
        for other in others { other.writeLine("go") }
        for other in others { #expect(other.waitForLines(3).last == expected) }
        #expect(try endpoint.figures()["renewals"] == 2)
        for other in others { try other.finish() }
    }

    @Test(
        "if it hangs, the others give up at their deadline, and redeem nothing",
        arguments: TestStorage.allCases
    )
    func stopped(_ storage: TestStorage) throws {
        let endpoint = try Endpoint()
        defer { endpoint.stop() }
        let workers = try Workers(in: storage.makeKeyring())
        try workers.signIn(at: endpoint)
        let holder = try workers.renewers(1, at: endpoint, ["halt": 3])[0]
        holder.writeLine("go")
        #expect(holder.waitForLines(2).last == "renewing")
        holder.stop()
        let others = try workers.renewers(3, at: endpoint, ["wait": 300])
        for other in others { other.writeLine("go") }
        for other in others { #expect(other.waitForLines(2).last == "error renewalBusy") }
        #expect(try endpoint.figures()["renewals"] == 0)
        holder.resume()
        holder.writeLine("on")
        #expect(holder.waitForLines(3).last == "got at.0.1")
        for program in others + [holder] { try program.finish() }
    }

    @Test(
        "an application that signs out while another of its family renews stays out, and the other stays in",
        arguments: TestStorage.allCases
    )
    func signedOut(_ storage: TestStorage) throws {
        let endpoint = try Endpoint()
        defer { endpoint.stop() }
        let workers = try Workers(in: storage.makeKeyring())
        try workers.signIn(at: endpoint)
        let other = try workers.renewers(1, at: endpoint, ["client": 1])[0]
        other.writeLine("go")
        #expect(other.waitForLines(2).last == "got at.0.1")
        let renewing = try workers.renewers(1, at: endpoint, ["client": 2, "halt": 3])[0]
        let leaving = try workers.renewers(1, at: endpoint)[0]
        renewing.writeLine("go")
        #expect(renewing.waitForLines(2).last == "renewing")
        leaving.writeLine("out")
        #expect(leaving.waitForLines(2).last == "signed out")
        renewing.writeLine("on")
        #expect(renewing.waitForLines(3).last == "got at.0.2")
        leaving.writeLine("go")
        #expect(leaving.waitForLines(3).last == "interaction signedOut")
        #expect(try endpoint.figures()["revocations"] == 0)
        for program in [other, renewing, leaving] { try program.finish() }
    }

    @Test(
        "a renewal that a sign-out of the same application overtakes brings nothing back",
        arguments: TestStorage.allCases
    )
    func overtaken(_ storage: TestStorage) throws {
        let endpoint = try Endpoint()
        defer { endpoint.stop() }
        let workers = try Workers(in: storage.makeKeyring())
        try workers.signIn(at: endpoint)
        let renewing = try workers.renewers(1, at: endpoint, ["halt": 3])[0]
        let leaving = try workers.renewers(1, at: endpoint)[0]
        renewing.writeLine("go")
        #expect(renewing.waitForLines(2).last == "renewing")
        leaving.writeLine("out")
        #expect(leaving.waitForLines(2).last == "signed out")
        renewing.writeLine("on")
        #expect(renewing.waitForLines(3).last == "error signedOut")
        leaving.writeLine("go")
        #expect(leaving.waitForLines(3).last == "interaction signedOut")
        for program in [renewing, leaving] { try program.finish() }
    }
}
