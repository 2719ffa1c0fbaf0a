// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a run of cachetool wrote, kept in the folder that `TOKEN_CACHE_RUNS` names. Once the tests have run, scripts/test compares
/// all documents with the published schema: Tests/Interoperability/documents.py.
struct KeptRun: Encodable {
    /// The words behind the program.
    let arguments: [String]
    let exitCode: Int32
    let output: String
    let messages: String

    private static let folder = ProcessInfo.processInfo.environment["TOKEN_CACHE_RUNS"].map { URL(filePath: $0) }

    /// Keeps what a program wrote, unless it is another one or a signal ended it. The command is the program and its arguments, which
    /// another program such as `env` may stand before.
    static func keep(_ command: [String], _ done: FinishedProgram) throws {
        guard let folder, let exitCode = done.exitCode,
            let program = command.firstIndex(where: { $0.hasSuffix("/cachetool") })
        else { return }
        let run = Self(
            arguments: Array(command[(program + 1)...]),
            exitCode: exitCode,
            output: String(decoding: done.output, as: UTF8.self),
            messages: done.messages
        )
        try JSONEncoder().encode(run).write(to: folder.appending(path: UUID().uuidString + ".json"))
    }
}
