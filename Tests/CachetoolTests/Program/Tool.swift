// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// cachetool on a scratch root of its own.
struct Tool {
    let root: ScratchRoot
    var group = "test"

    init() throws {
        root = try ScratchRoot()
    }

    /// A tool whose group holds the sample.
    static func withSample() throws -> Tool {
        let tool = try Tool()
        let done = try tool.run("import", "-", input: SampleCache().document)
        try #require(done.exitCode == 0, "\(done.messages)")
        return tool
    }

    /// Runs a command on the group.
    func run(
        _ arguments: String...,
        input: Data? = nil,
        environment: [String: String] = [:]
    ) throws -> FinishedProgram {
        try run(arguments, input: input, environment: environment)
    }

    func run(
        _ arguments: [String],
        input: Data? = nil,
        environment: [String: String] = [:]
    ) throws -> FinishedProgram {
        // Beside other tests a keyring may take longer than the time that a command has for it by itself.
        let usesKeyring = environment["DBUS_SESSION_BUS_ADDRESS"] != nil
        let timeout = usesKeyring && !arguments.contains("--timeout") ? ["--timeout", "20"] : []
        return try Program.cachetool.run(
            arguments + location + timeout,
            input: input,
            environment: ["PATH": "/usr/bin:/bin", "HOME": root.path].merging(environment) { $1 }
        )
    }

    /// Starts a command on the group and leaves it running.
    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProgram {
        try Program.cachetool.start(
            arguments + location,
            environment: ["PATH": "/usr/bin:/bin", "HOME": root.path].merging(environment) { $1 }
        )
    }

    /// The id of the first one of a list that a command prints.
    func id(
        _ command: [String],
        _ list: String,
        where isWanted: ([String: Any]) -> Bool
    ) throws -> String {
        let all = try #require(try run(command + ["--json"]).json[list] as? [[String: Any]])
        return try #require(all.first(where: isWanted)?["id"] as? String)
    }

    /// Runs a shell script in which `$tool` is the program and `"$@"` names root and group.
    func shell(_ script: String, input: Data? = nil, environment: [String: String] = [:]) throws -> FinishedProgram {
        try Program(path: "/bin/sh").run(
            ["-c", script, "sh"] + location,
            input: input,
            environment: ["PATH": "/usr/bin:/bin", "HOME": root.path, "tool": Program.cachetool.path]
                .merging(environment) { $1 }
        )
    }

    /// Runs a command on the group, on a terminal.
    func terminal(
        _ arguments: [String],
        answers: [(question: String, answer: String)] = [],
        columns: Int = 0,
        wrapper: [String] = [],
        environment: [String: String] = [:]
    ) throws -> FinishedProgram {
        try Self.terminal(
            arguments + location,
            answers: answers,
            columns: columns,
            wrapper: wrapper,
            environment: ["HOME": root.path].merging(environment) { $1 }
        )
    }

    /// Runs a command on a terminal of its own, where somebody types each answer once its question stands there. What
    /// is shown comes back as output; as messages whether the terminal echoed at each question, and in the end. Without `columns` the
    /// terminal does not say how wide it is.
    static func terminal(
        _ arguments: [String],
        answers: [(question: String, answer: String)] = [],
        columns: Int = 0,
        wrapper: [String] = [],
        environment: [String: String] = [:]
    ) throws -> FinishedProgram {
        let dialogue = answers.flatMap { [$0.question, $0.answer] }
        let command = wrapper + [Program.cachetool.path] + arguments
        return try Program(path: "/usr/bin/python3").run(
            ["-c", terminalScript, "\(columns)", "\(dialogue.count)"] + dialogue + command,
            environment: ["PATH": "/usr/bin:/bin", "TERM": "xterm"].merging(environment) { $1 }
        )
    }

    /// Runs a program on a new terminal: waits for each question, then types its answer. Ends as the program ends.
    private static let terminalScript = """
        import fcntl, os, pty, select, signal, struct, sys, termios
        columns, count = int(sys.argv[1]), int(sys.argv[2])
        dialogue, command = sys.argv[3:3 + count], sys.argv[3 + count:]
        child, terminal = pty.fork()
        if child == 0:
            if columns:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            # Whoever runs the tests may ignore or block signals, and so would the program.
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execv(command[0], command)
        shown, seen, echo = b"", 0, []
        def note_echo():
            echo.append("on" if termios.tcgetattr(terminal)[3] & termios.ECHO else "off")
        while True:
            if dialogue and dialogue[0].encode() in shown[seen:]:
                seen = len(shown)
                note_echo()
                os.write(terminal, dialogue[1].encode())
                dialogue = dialogue[2:]
            if not select.select([terminal], [], [], 60)[0]:
                os.kill(child, signal.SIGKILL)
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        sys.stdout.buffer.write(shown.replace(b"\\r\\n", b"\\n"))
        status = os.waitpid(child, 0)[1]
        note_echo()
        sys.stderr.write("echo: " + " ".join(echo) + "\\n")
        sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
        """

    var location: [String] { ["--root", root.path, "--group", group] }
}
