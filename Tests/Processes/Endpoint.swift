import Foundation
import Programs

/// A token endpoint of its own, with rotating refresh tokens.
struct Endpoint {
    let program: RunningProgram
    let port: Int

    init(_ flags: String...) throws {
        program = try Program.tokenEndpoint.start(flags)
        guard let line = program.waitForLines(1).first, let port = Int(line) else {
            throw Unfit(reason: "the token endpoint does not listen")
        }
        self.port = port
    }

    /// What it was asked: renewals, refusals, revocations.
    func figures() throws -> [String: Int] {
        let done = try Program(path: "/usr/bin/curl").run(["-sS", "-d", "x=1", "http://127.0.0.1:\(port)/figures"])
        return try JSONSerialization.jsonObject(with: done.output) as? [String: Int] ?? [:]
    }

    func stop() {
        program.kill()
        _ = try? program.finish()
    }
}
