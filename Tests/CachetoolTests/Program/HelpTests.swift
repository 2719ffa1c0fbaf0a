import Programs
import Testing

@Suite("Help")
struct HelpTests {
    /// What terminals and locales could change is held still.
    private static let environment = ["COLUMNS": "80", "PATH": "/usr/bin:/bin"]

    @Test("the help of each command is what is written down", arguments: HelpTests.commands)
    func help(command: [String]) throws {
        let done = try Program.cachetool.run(command + ["--help"], environment: Self.environment)
        #expect(done.exitCode == 0)
        #expect(done.messages == "")
        let name = (["cachetool"] + command).joined(separator: "-")
        try Snapshot.check(String(decoding: done.output, as: UTF8.self), "help/\(name).txt")
    }

    @Test("the version is one line")
    func version() throws {
        let done = try Program.cachetool.run(["--version"])
        #expect(done.exitCode == 0)
        #expect(done.text.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+/) != nil)
    }

    static let commands: [[String]] = [
        []
    ]
}
