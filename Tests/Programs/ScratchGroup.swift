// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A group on a scratch root, and cachetool to work on it.
package struct ScratchGroup: Sendable {
    package let root: ScratchRoot
    package let name: String
    /// What it is to be kept in.
    package let storage: TestStorage
    /// Of the programs that work on it, where it is not that of the tests.
    package let environment: [String: String]?
    /// Lives as long as the group is used.
    private let keyring: PrivateKeyring?

    /// The sample cache that ships with the project.
    package static let sample = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Samples/msal-cache.json").path()

    package init(named name: String = "test") throws {
        root = try ScratchRoot()
        self.name = name
        storage = .file
        environment = nil
        keyring = nil
    }

    /// A group that no other one is taken for, in `keyring` where there is one.
    package init(in keyring: PrivateKeyring?) throws {
        root = try ScratchRoot()
        name = "test-\(UUID().uuidString)"
        storage = keyring == nil ? .file : .keyring
        self.keyring = keyring
        environment = keyring.map { keyring in
            ProcessInfo.processInfo.environment.merging(["DBUS_SESSION_BUS_ADDRESS": keyring.address]) { _, own in own }
        }
    }

    /// A group that holds the sample cache.
    package static func filled() throws -> ScratchGroup {
        let group = try ScratchGroup()
        let imported = try group.attempt("import", sample)
        guard imported.exitCode == 0 else { throw Unfit(reason: "the sample was not imported: \(imported.messages)") }
        return group
    }

    /// The folder of the group.
    package var folder: String { root.path + "/" + name }

    /// The options that name this group.
    package var options: [String] { ["--root", root.path, "--group", name] }

    /// Runs a sub-command on this group.
    package func attempt(_ command: String, _ arguments: String..., input: Data? = nil) throws -> FinishedProgram {
        try Program.cachetool.run(patient([command] + arguments), input: input, environment: environment)
    }

    /// Runs a sub-command on this group.
    package func attempt(_ arguments: [String]) throws -> FinishedProgram {
        try Program.cachetool.run(patient(arguments), environment: environment)
    }

    /// The arguments of a command on this group, which waits as long for locks and the keyring as a busy machine may take.
    private func patient(_ arguments: [String]) -> [String] {
        arguments + options + (arguments.contains("--timeout") ? [] : ["--timeout", "60"])
    }

    /// Runs a sub-command on this group behind a command that sets the scene, for example `setpriv`.
    package func attempt(
        behind wrapper: [String],
        _ command: String,
        _ arguments: String...
    ) throws -> FinishedProgram {
        guard let first = wrapper.first else { throw Unfit(reason: "no command to go behind") }
        return try Program(path: first)
            .run(Array(wrapper.dropFirst()) + [Program.cachetool.path, command] + arguments + options)
    }

    /// The journal's bytes.
    package var journal: Data {
        get throws { try Data(contentsOf: URL(filePath: folder + "/journal")) }
    }

    /// Puts other bytes in the place of the journal, with the rights that it has to have.
    package func replaceJournal(with bytes: Data) throws {
        let path = folder + "/journal"
        try bytes.write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}
