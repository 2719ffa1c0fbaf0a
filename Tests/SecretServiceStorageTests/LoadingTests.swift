// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

@Suite("Loading libsecret", .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct LoadingTests {
    private static let libraries = ["libsecret", "libgio", "libglib"]

    @Test("a program that has the store in it is not linked with the libraries", arguments: libraries)
    func linked(library: String) throws {
        let program = Program(path: Program.folder + "/keyring-worker")
        // Has the loader say what it would load, and run nothing.
        let environment = ProcessInfo.processInfo.environment.merging(["LD_TRACE_LOADED_OBJECTS": "1"]) { $1 }
        let finished = try program.run([], environment: environment)
        #expect(finished.text.contains("libc.so"))
        #expect(!finished.text.contains(library))
    }

    @Test("a program that opens no keyring does not load them", arguments: libraries)
    func loaded(library: String) throws {
        let program = Program(path: Program.folder + "/keyring-worker")
        let running = try program.start(["waits"])
        _ = running.waitForLines(1)
        let maps = try running.mappedFiles()
        try running.finish()
        #expect(maps.contains("libc.so"))
        #expect(!maps.contains(library))
    }
}
