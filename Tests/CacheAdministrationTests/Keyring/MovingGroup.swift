// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import Testing

@testable import CacheAdministration
@testable import SecretServiceStorage
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// A group with entries, beside a keyring of its own, that programs take from one kind of store to another.
struct MovingGroup {
    /// The kinds of store, as programs name them.
    enum Store: String, CaseIterable, Sendable {
        case file
        case keyring
        case fileWithKeyring = "file-with-keyring"

        var storage: StorageChoice {
            switch self {
            case .file: .file(unlockedBy: .keyFile)
            case .keyring: .keyring
            case .fileWithKeyring: .file(unlockedBy: .keyring)
            }
        }

        var target: [String] {
            switch self {
            case .file: ["--to", "file"]
            case .keyring: ["--to", "keyring"]
            case .fileWithKeyring: ["--to", "file", "--new-keyring"]
            }
        }

        var kind: StorageLocation.Kind { self == .keyring ? .keyring : .file }
    }

    static let client = "client"
    static let accountCount = 24

    let fixture: KeyringFixture

    init(in store: Store) throws {
        fixture = try KeyringFixture()
        let group = CacheGroup(try fixture.create(store.storage), timeout: .seconds(20))
        _ = try group.importEntries(from: .bytes(Self.document.bytes))
        group.close()
    }

    /// Accounts, and an access token for each, good for a while.
    private static var document: Document {
        let now = Int(Date().timeIntervalSince1970)
        let tokens = (0..<accountCount).map {
            Document.accessToken(user: "user\($0).contoso", secret: secret($0), cachedAt: now)
        }
        let accounts = (0..<accountCount).map { Document.account(user: "user\($0).contoso") }
        return .sections(["AccessToken": tokens, "Account": accounts])
    }

    /// Another process saves a token of one more account.
    func add(account number: Int) throws {
        let tokens = [Document.accessToken(user: "user\(number).contoso", secret: Self.secret(number))]
        let document = Document.sections([
            "AccessToken": tokens, "Account": [Document.account(user: "user\(number).contoso")],
        ])
        fixture.scratch.write(document.bytes, to: "more.json")
        let done = try run("import", fixture.scratch.path("more.json"))
        try #require(done.exitCode == 0, "\(done.messages)")
    }

    static func secret(_ account: Int) -> String { "secret-of-\(account)" }

    static func query(_ account: Int) -> TokenQuery {
        TokenQuery(accountID: Account.ID("user\(account).contoso"), scopes: ["user.read"])
    }

    private var environment: [String: String] {
        [
            "PATH": "/usr/bin:/bin", "HOME": fixture.scratch.path,
            "DBUS_SESSION_BUS_ADDRESS": fixture.keyring.address,
        ]
    }

    /// The command line of `cachetool` for this group.
    private func arguments(_ command: [String]) -> [String] {
        command + ["--root", fixture.scratch.path, "--group", "group", "--timeout", "20"]
    }

    /// Another process does something with the group.
    @discardableResult
    func run(_ command: String...) throws -> FinishedProgram {
        try Program.cachetool.run(arguments(command), environment: environment)
    }

    func start(_ command: [String]) throws -> RunningProgram {
        try Program.cachetool.start(arguments(command), environment: environment)
    }

    /// Tries to take the group to a store, in another process, which does not wait long for anything.
    func tryToMove(to store: Store) throws -> FinishedProgram {
        let command =
            ["migrate"] + store.target + ["--root", fixture.scratch.path, "--group", "group", "--timeout", "1"]
        return try Program.cachetool.run(command, environment: environment)
    }

    /// Takes the group to a store, in another process, and comes to the end.
    func move(to store: Store) throws {
        let done = try Program.cachetool.run(arguments(["migrate"] + store.target), environment: environment)
        try #require(done.exitCode == 0, "\(done.messages)")
    }

    /// Another process begins to take the group to a store, or to make one, and is killed at a step.
    func kill(_ verb: String = "migrates", to store: Store, at step: String) throws {
        let worker = Program(path: Program.folder + "/keyring-worker")
        let arguments = [verb, fixture.scratch.path, "group", store.rawValue, step]
        let done = try worker.run(arguments, environment: environment)
        try #require(done.exitCode == nil, "\(done.messages)")
    }

    /// All there is, with every secret.
    func contents() throws -> Data {
        let done = try run("export", "--all", "--yes", "-")
        try #require(done.exitCode == 0, "\(done.messages)")
        return done.output
    }

    /// Makes sure that the group is in a store and that nothing of it is anywhere else.
    func expectOnly(in store: Store) throws {
        let state = try #require(try fixture.state)
        #expect(state.phase == .ready && state.target == nil && state.leftover == nil)
        #expect(StorageLocation.Kind(state.storage) == store.kind)
        let files = fixture.scratch.files
        #expect(files.contains("group/journal") == (store != .keyring))
        #expect(files.contains { $0.hasPrefix(".keys/") } == (store == .file))
        #expect(try (fixture.itemCount(.partition) > 0) == (store == .keyring))
        #expect(try fixture.itemCount(.key) == (store == .keyring ? 1 : 0))
        #expect(try fixture.itemCount(.slot) == (store == .fileWithKeyring ? 1 : 0))
    }
}
