package import Foundation

/// A started program. Its output is gathered by a thread of its own, so that it never waits for the test.
package final class RunningProgram: Sendable {
    private let process: Process
    private let gatherers: [Gatherer]

    init(path: String, arguments: [String], input: Data?, environment: [String: String]?) throws {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        if let environment { process.environment = environment }
        let output = Pipe()
        let messages = Pipe()
        process.standardOutput = output
        process.standardError = messages
        let stdin = Pipe()
        process.standardInput = stdin
        try process.run()
        self.process = process
        gatherers = [Gatherer(output.fileHandleForReading), Gatherer(messages.fileHandleForReading)]
        if let input {
            // A program that refuses its input early closes the pipe; that is for its exit code to tell.
            signal(SIGPIPE, SIG_IGN)
            try? stdin.fileHandleForWriting.write(contentsOf: input)
        }
        try? stdin.fileHandleForWriting.close()
    }

    /// Its process id.
    package var processID: Int32 { process.processIdentifier }

    /// Whether it has not ended yet.
    package var isRunning: Bool { process.isRunning }

    /// What it has written to standard output so far.
    package var outputSoFar: Data { gatherers[0].data }

    /// Sends SIGKILL: nothing of the program runs any more.
    package func kill() {
        Foundation.kill(processID, SIGKILL)
    }

    /// Waits for its end.
    @discardableResult
    package func finish() throws -> FinishedProgram {
        process.waitUntilExit()
        for gatherer in gatherers { gatherer.wait() }
        let wasExit = process.terminationReason == .exit
        return FinishedProgram(
            exitCode: wasExit ? process.terminationStatus : nil,
            output: gatherers[0].data,
            messages: String(decoding: gatherers[1].data, as: UTF8.self)
        )
    }
}
