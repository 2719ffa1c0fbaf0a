// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TokenAcquisition

@Suite(.serialized) struct SystemBrowserTests {
    private static let url = "http://localhost:8400/start/AAAAAAAAAAAAAAAAAAAAAA"
    private let folder = FileManager.default.temporaryDirectory.appending(path: "browser-\(UUID().uuidString)")

    /// Makes a folder with shell scripts of these names, which is the whole PATH, and removes it afterwards.
    private func withPrograms(
        _ programs: [String: String],
        _ environment: [String: String] = [:],
        _ body: (SystemBrowser) async throws -> Void
    ) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, script) in programs {
            // Written by another process: a program that another test of this one starts meanwhile would inherit the open
            // file, and a file that is open for writing cannot be started.
            let writer = Process()
            writer.executableURL = URL(filePath: "/bin/sh")
            writer.arguments = [
                "-c", #"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 755 "$0""#, folder.appending(path: name).path,
                script,
            ]
            try writer.run()
            writer.waitUntilExit()
            try #require(writer.terminationStatus == 0)
        }
        let own = ["PATH": folder.path, "OUT": folder.appending(path: "out").path]
        try await body(SystemBrowser(environment: own.merging(environment) { $1 }))
    }

    private func written() throws -> String {
        try String(contentsOf: folder.appending(path: "out"), encoding: .utf8)
    }

    private func failure(_ browser: SystemBrowser, _ url: String = url) async -> AcquisitionError? {
        await #expect(throws: AcquisitionError.self) { try await browser.open(url) }
    }

    private static let note = #"printf '%s\n' "$0" "$@" >> "$OUT""#

    /// Environments, and the programs that they lead to, in their order.
    static let choices: [([String: String], [String])] = [
        ([:], []),
        (["SSH_CONNECTION": "1 2 3 4"], []),
        (["DISPLAY": ":0"], ["xdg-open URL"]),
        (["WAYLAND_DISPLAY": "wayland-0"], ["xdg-open URL"]),
        (["DISPLAY": ""], []),
        (["BROWSER": "first"], ["first URL"]),
        (
            ["BROWSER": "first --new %s -x:missing:/bin/second", "DISPLAY": ":0"],
            ["first --new URL -x", "second URL", "xdg-open URL"]
        ),
        (["BROWSER": ":: :"], []),
        (["WSL_DISTRO_NAME": "Debian"], ["wslview URL"]),
        (["SNAP": "/snap/app/1"], ["gdbus PORTAL URL {}", "xdg-open URL"]),
        (["FLATPAK_ID": "com.contoso"], ["gdbus PORTAL URL {}", "xdg-open URL"]),
    ]

    @Test(arguments: choices.indices) func `the environment says which programs are tried`(_ index: Int) {
        let (environment, expected) = Self.choices[index]
        let commands = BrowserCommand.commands(for: "URL", environment: environment.merging(["PATH": "/bin"]) { $1 }) {
            $0.hasPrefix("/bin/") && !$0.hasSuffix("missing")
        }
        let portal = """
            call --session --dest org.freedesktop.portal.Desktop --object-path /org/freedesktop/portal/desktop \
            --method org.freedesktop.portal.OpenURI.OpenURI \("")
            """
        #expect(
            commands.map { ([String($0.program.dropFirst(5))] + $0.arguments).joined(separator: " ") }
                == expected.map { $0.replacing("PORTAL", with: portal + "") }
        )
    }

    @Test func `a browser gets the URL, the environment, and nothing else`() async throws {
        let script =
            Self.note
            + #"; ls /proc/self/fd | wc -l >> "$OUT"; readlink /proc/self/fd/0 >> "$OUT"; ps -o sid= -p $$ >> "$OUT"; echo $$ >> "$OUT""#
        // A file that this process has open, as a program does that cares for nothing.
        let leak = FileHandle(forReadingAtPath: "/dev/zero")
        defer { try? leak?.close() }
        try await withPrograms(["first": script], ["BROWSER": "first", "PATH": folder.path + ":/usr/bin:/bin"]) {
            browser in
            #expect(browser.isAvailable)
            try await browser.open(Self.url)
            let lines = try written().split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(lines[1] == Self.url)
            // Three of its own, and the one that lists them; the pipe has the output.
            #expect(lines[2] == "4")
            #expect(lines[3] == "/dev/null")
            #expect(lines[4] == lines[5])
        }
    }

    @Test func `a program that fails is followed by the next`() async throws {
        try await withPrograms(
            ["first": "exit 3", "second": "kill -9 $$", "third": Self.note],
            ["BROWSER": "first:second:third"]
        ) {
            try await $0.open(Self.url)
            #expect(try written().contains("third"))
        }
    }

    @Test func `if all fail, the error says how`() async throws {
        try await withPrograms(["first": "exit 3", "second": "kill -9 $$"], ["BROWSER": "first:second"]) { browser in
            let error = await failure(browser)
            #expect(error?.code == .browserMissing)
            #expect(error.map { "\($0)".contains("first ended with status 3, second was killed") } == true)
            #expect(error.map { "\($0)".contains("Sign in with a device code") } == true)
        }
    }

    @Test func `a browser that goes on running does not keep the caller, and is no zombie at its end`() async throws {
        try await withPrograms(
            ["first": #"echo $$ > "$OUT"; exec sleep 8"#],
            ["BROWSER": "first", "PATH": folder.path + ":/usr/bin:/bin"]
        ) { browser in
            let start = ContinuousClock.now
            try await browser.open(Self.url)
            #expect(start.duration(to: .now) < .seconds(7))
            let process = "/proc/" + (try written().trimmingCharacters(in: .whitespacesAndNewlines))
            #expect(FileManager.default.fileExists(atPath: process))
            for _ in 0..<300 where FileManager.default.fileExists(atPath: process) {
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(!FileManager.default.fileExists(atPath: process))
        }
    }

    @Test func `without a display the error names the device code, and over SSH the port to forward`() async throws {
        try await withPrograms(["xdg-open": Self.note]) { browser in
            #expect(!browser.isAvailable)
            let error = await failure(browser)
            #expect(error?.code == .browserMissing)
            #expect(error.map { "\($0)".contains("DISPLAY") && "\($0)".contains("device code") } == true)
            #expect(error.map { "\($0)".contains("ssh") } == false)
        }
        try await withPrograms([:], ["SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"]) { browser in
            let error = await failure(browser)
            #expect(
                error.map { "\($0)".contains("ssh -N -L 8400:localhost:8400 HOST") && "\($0)".contains("BROWSER=echo") }
                    == true
            )
            #expect(error.map { "\($0)".contains("192.0.2") || "\($0)".contains("start/") } == false)
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func `under sudo no browser is started`() async throws {
        try await withPrograms(["first": Self.note], ["BROWSER": "first", "SUDO_UID": "1000"]) { browser in
            #expect(!browser.isAvailable)
            let error = await failure(browser)
            #expect(error?.code == .browserMissing)
            #expect(error.map { "\($0)".contains("sudo") } == true)
            #expect(throws: (any Error).self) { try written() }
        }
    }

    @Test(arguments: [
        "file:///etc/passwd", "--help", "javascript:alert(1)", "http://localhost/a b", "http://localhost/\n", "",
    ])
    func `only web addresses are opened`(_ url: String) async throws {
        try await withPrograms(["first": Self.note], ["BROWSER": "first"]) { browser in
            #expect(await failure(browser, url)?.code == .requestRejected)
            #expect(throws: (any Error).self) { try written() }
        }
    }
}
