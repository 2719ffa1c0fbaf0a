// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A started program. Its output is gathered by a thread of its own, so that it never waits for the test.
package final class RunningProgram: Sendable {
    private let process: Process
    private let command: [String]
    private let input: FileHandle
    private let output: Gatherer
    private let messages: Gatherer

    init(path: String, arguments: [String], environment: [String: String]?) throws {
        // A program that refuses its input early closes the pipe; that is for its exit code to tell.
        signal(SIGPIPE, SIG_IGN)
        process = Process()
        command = [path] + arguments
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        if let environment { process.environment = environment }
        let pipes = [Pipe(), Pipe(), Pipe()]
        process.standardInput = pipes[0]
        process.standardOutput = pipes[1]
        process.standardError = pipes[2]
        try process.run()
        input = pipes[0].fileHandleForWriting
        output = Gatherer(pipes[1].fileHandleForReading)
        messages = Gatherer(pipes[2].fileHandleForReading)
    }

    /// Its process id.
    package var processID: Int32 { process.processIdentifier }

    /// Whether it has not ended yet.
    package var isRunning: Bool { process.isRunning }

    /// The complete lines that it has written to standard output so far.
    package var linesSoFar: [String] { FinishedProgram.lines(of: output.data) }

    /// What it has written to standard error so far.
    package var messagesSoFar: String { String(decoding: messages.data, as: UTF8.self) }

    /// Waits until there are that many complete lines, or the program has ended, or a minute has passed.
    package func waitForLines(_ count: Int) -> [String] {
        var end = ContinuousClock.now + .seconds(60)
        var hasEnded = false
        while ContinuousClock.now < end {
            let lines = linesSoFar
            if lines.count >= count { return lines }
            if !hasEnded, !isRunning {
                hasEnded = true
                // What it wrote last may still be on its way from the pipe.
                end = ContinuousClock.now + .seconds(2)
            }
            usleep(200)
        }
        return linesSoFar
    }

    /// What is mapped into its memory: the libraries that it has loaded among other things.
    package func mappedFiles() throws -> String {
        // Foundation reads such a file in part only.
        try Program(path: "/bin/cat").run(["/proc/\(processID)/maps"]).text
    }

    /// Gives it bytes to read.
    package func write(_ bytes: Data) {
        try? input.write(contentsOf: bytes)
    }

    /// Gives it a line to read.
    package func writeLine(_ line: String) {
        write(Data((line + "\n").utf8))
    }

    /// Ends its standard input.
    package func closeInput() {
        try? input.close()
    }

    /// Sends SIGKILL: nothing of the program runs any more.
    package func kill() {
        Foundation.kill(processID, SIGKILL)
    }

    /// Sends SIGINT, as Ctrl-C does.
    package func interrupt() {
        Foundation.kill(processID, SIGINT)
    }

    /// Sends SIGSTOP: the program stands still until it is told to go on, and keeps what it holds.
    package func stop() {
        Foundation.kill(processID, SIGSTOP)
    }

    /// Lets a program that stands still go on.
    package func resume() {
        Foundation.kill(processID, SIGCONT)
    }

    /// Ends its standard input and waits for its end. A program that does not end in time is killed, so that no test
    /// waits for ever.
    @discardableResult
    package func finish(within timeLimit: Duration = .seconds(120)) throws -> FinishedProgram {
        closeInput()
        let end = ContinuousClock.now + timeLimit
        while process.isRunning, ContinuousClock.now < end { usleep(500) }
        if process.isRunning { kill() }
        process.waitUntilExit()
        try output.wait()
        try messages.wait()
        let done = FinishedProgram(
            exitCode: process.terminationReason == .exit ? process.terminationStatus : nil,
            output: output.data,
            messages: String(decoding: messages.data, as: UTF8.self)
        )
        try KeptRun.keep(command, done)
        return done
    }
}
