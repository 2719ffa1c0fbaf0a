// SPDX-License-Identifier: Apache-2.0

import Programs
import Testing

/// Many processes that ask again and again for what a server refuses. Their clock goes as fast as they can follow.
@Suite("storms of refusals", .serialized, .timeLimit(.minutes(10)))
struct RefusalStormTests {
    private static let count = 20

    private let endpoint: Endpoint
    private let workers: Workers

    init() throws {
        endpoint = try Endpoint()
        workers = try Workers()
    }

    private func start(host: String = "login.microsoftonline.com") throws -> [RunningProgram] {
        let arguments = workers.arguments("storm", ["port": endpoint.port]) + ["--host", host]
        let programs = try (0..<Self.count).map { _ in try workers.launch(arguments) }
        for program in programs where program.waitForLines(1).first != "ready" {
            throw Unfit(reason: "a worker did not get ready: \(program.messagesSoFar)")
        }
        programs[0].writeLine("0 in")
        #expect(programs[0].waitForLines(2).last == "signed in")
        return programs
    }

    /// Has all of them ask at once, and waits for all.
    private func ask(_ programs: [RunningProgram], at seconds: Int, _ scopes: String) -> Set<String> {
        let counts = programs.map { $0.linesSoFar.count }
        for program in programs { program.writeLine("\(seconds) \(scopes)") }
        return Set(zip(programs, counts).map { program, count in program.waitForLines(count + 1).last ?? "nothing" })
    }

    private func finish(_ programs: [RunningProgram]) throws {
        for program in programs { try program.finish() }
        endpoint.stop()
    }

    @Test(
        "a refusal that needs the user is requested three times in 250 s by all processes together, and once for a newer token"
    )
    func person() throws {
        let programs = try start()
        for second in 0..<250 {
            let answers = ask(programs, at: second, "Denied")
            #expect(answers == ["renewalRefused interaction_required"], "second \(second)")
        }
        #expect(try endpoint.figures()["denied"] == 3)
        // Other scopes are renewed, which rotates the refresh token: the refusal was of the older one.
        #expect(ask(programs, at: 250, "Fast") == ["got Fast"])
        #expect(ask(programs, at: 251, "Denied") == ["renewalRefused interaction_required"])
        let figures = try endpoint.figures()
        #expect(figures["denied"] == 4)
        #expect(figures["revocations"] == 0)
        try finish(programs)
    }

    @Test("where a server asks for 100 s, no process repeats that request for so long, and other requests go on")
    func throttled() throws {
        let programs = try start()
        for second in stride(from: 0, through: 250, by: 2) {
            #expect(ask(programs, at: second, "Throttled Fast") == ["renewalUnavailable 429, got Fast"])
        }
        #expect(try endpoint.figures()["throttled"] == 3)
        try finish(programs)
    }

    @Test("a bare invalid_grant of a B2C host is asked for once, until a newer token comes")
    func bare() throws {
        let programs = try start(host: "contoso.b2clogin.com")
        for second in stride(from: 0, through: 250, by: 5) {
            if second == 200 {
                programs[0].writeLine("\(second) in")
                #expect(programs[0].waitForLines(programs[0].linesSoFar.count + 1).last == "signed in")
            }
            #expect(ask(programs, at: second, "Bare") == ["renewalRefused invalid_grant"])
            #expect(try endpoint.figures()["bare"] == (second < 200 ? 1 : 2), "second \(second)")
        }
        try finish(programs)
    }
}
