// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A program of this package that a test starts.
package struct Program: Sendable {
    /// The file to execute.
    package let path: String

    /// The command line tool.
    package static let cachetool = Program(named: "cachetool")
    /// The program that the process tests start, stop and kill.
    package static let tokenEndpoint = Program(named: "token-endpoint")

    package static let groupWorker = Program(named: "group-worker")

    /// The program that ends another one at one of its system calls.
    package static let killAtCall = Program(named: "kill-at-call")

    /// The program that changes the files of groups at random.
    package static let groupFuzzer = Program(named: "group-fuzzer")

    /// The program that runs random sequences against the reference model.
    package static let modelCheck = Program(named: "model-check")

    /// The folder with the built programs: `TOKEN_CACHE_PROGRAMS` where it is set (the release build, as a rule), else the
    /// folder that this test was built in.
    package static let folder: String =
        ProcessInfo.processInfo.environment["TOKEN_CACHE_PROGRAMS"]
        ?? URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path()

    init(named name: String) {
        path = Self.folder + "/" + name
    }

    /// A program of the system, by its path.
    package init(path: String) {
        self.path = path
    }

    /// Runs to the end and gathers what the program said.
    package func run(
        _ arguments: [String],
        input: Data? = nil,
        environment: [String: String]? = nil,
        within timeLimit: Duration = .seconds(120)
    ) throws -> FinishedProgram {
        let running = try start(arguments, environment: environment)
        if let input { running.write(input) }
        return try running.finish(within: timeLimit)
    }

    /// Starts the program and leaves it running, its standard input open.
    package func start(_ arguments: [String], environment: [String: String]? = nil) throws -> RunningProgram {
        try RunningProgram(path: path, arguments: arguments, environment: environment)
    }
}
