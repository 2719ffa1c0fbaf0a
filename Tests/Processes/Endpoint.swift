// SPDX-License-Identifier: Apache-2.0

import Foundation
import LocalHTTP
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
        guard let answer = LocalClient(port: UInt16(port)).post("/figures", ["x": "1"]) else { return [:] }
        return try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Int] ?? [:]
    }

    func stop() {
        program.kill()
        _ = try? program.finish()
    }
}
