// SPDX-License-Identifier: Apache-2.0

import Glibc
import LibsecretCalls
import Operations
import SampleAccounts
import TokenCaching

/// What a group in the keyring of the session takes, in turns with what libsecret's own calls take that keep the same
/// responses in the same collection, one item for each account. Lines of a name and nanoseconds, medians.
///
/// A daemon such as gnome-keyring writes the whole collection at every change, so both are measured beside the items of
/// both. Of many accounts libsecret keeps the first hundred only, or filling the collection would take all day.
struct KeyringTimes {
    private let folder: CacheFolder
    private let keys: [String]

    private static let mostKeys = 100
    /// As long as what a response comes to: an access token, a refresh token, an id token and an account record.
    private static let byteCount = 2_008 + 1_206 + 1_359 + 420

    init(count: Int, path: String) {
        folder = CacheFolder(count: count, path: path, storage: .keyring)
        let accounts = folder.accounts
        keys = (0..<min(count, Self.mostKeys)).map { accounts.homeAccountID($0) }
    }

    func report() throws {
        guard libsecret_bind() else { throw UnexpectedOutcome(operation: "loading libsecret") }
        try fill()
        let workbench = try Workbench(folder, using: 0)
        try report("open", 31, own: workbench.operation(named: "open-to-first-token")) { index in
            libsecret_disconnect()
            return libsecret_lookup(keys[index]) == Self.byteCount
        }
        try report("first-lookup", 31, own: workbench.firstLookups) { index in
            libsecret_lookup(keys[index]) == Self.byteCount
        }
        try report("save", 41, own: workbench.savingResponses) { index in store(index) }
        if keys.count == folder.count {
            try report("list", 15, own: workbench.firstLists) { _ in libsecret_list() == keys.count }
        }
        try report("foreign-change", 31, own: workbench.operation(named: "foreign-change")) { index in
            libsecret_lookup(keys[index]) == Self.byteCount
        }
        let hit = workbench.repeatedLookups[0]
        print("keyring-hit", try (0..<31).map { _ in try nanoseconds(hit, 0..<hit.rounds) / Double(hit.rounds) }.median)
    }

    /// Makes the items of both. Those of libsecret are made one by one, as they come.
    private func fill() throws {
        folder.writeDocument()
        defer { unlink(folder.document) }
        try folder.importDocument()
        for index in keys.indices where !store(index) { throw UnexpectedOutcome(operation: "store") }
    }

    private func store(_ index: Int) -> Bool {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        let secret = String(repeating: letters.randomElement() ?? "a", count: Self.byteCount)
        return libsecret_store(keys[index], secret)
    }

    /// In turns; the first round is not counted.
    private func report(_ name: String, _ rounds: Int, own: Operation, _ libsecret: (Int) -> Bool) throws {
        var times: (own: [Double], libsecret: [Double]) = ([], [])
        for round in 0...rounds {
            try own.prepare(round)
            let watch = Stopwatch()
            try own.run(round)
            let seconds = watch.seconds
            let other = Stopwatch()
            guard libsecret(round * 7919 % keys.count) else { throw UnexpectedOutcome(operation: "libsecret") }
            if round > 0 {
                times.own.append(seconds * 1e9)
                times.libsecret.append(other.seconds * 1e9)
            }
        }
        print("keyring-" + name, times.own.median)
        print("libsecret-" + name, times.libsecret.median)
        fflush(nil)
    }

    private func nanoseconds(_ operation: Operation, _ rounds: Range<Int>) throws -> Double {
        let watch = Stopwatch()
        try operation.run(rounds)
        return watch.seconds * 1e9
    }
}
