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
        try Program.cachetool.run(
            arguments + location,
            input: input,
            environment: ["PATH": "/usr/bin:/bin", "HOME": root.path].merging(environment) { $1 }
        )
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

    /// Runs a command on a terminal of its own, with what somebody types. What it shows comes back as output.
    func terminal(
        _ arguments: [String],
        typing input: String = "",
        environment: [String: String] = [:]
    ) throws -> FinishedProgram {
        let command = ([Program.cachetool.path] + arguments + location).map(Self.quoted).joined(separator: " ")
        return try Program(path: "/usr/bin/script").run(
            ["--quiet", "--return", "--echo", "always", "--command", command, "/dev/null"],
            input: Data(input.utf8),
            environment: ["PATH": "/usr/bin:/bin", "HOME": root.path, "TERM": "xterm", "SHELL": "/bin/sh"]
                .merging(environment) { $1 }
        )
    }

    private var location: [String] { ["--root", root.path, "--group", group] }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
