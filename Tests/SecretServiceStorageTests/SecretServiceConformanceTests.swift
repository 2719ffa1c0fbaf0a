// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import SecretServiceStorage
import StoreConformance
import Synchronization
import Testing

@Suite("Secret Service store, as every store", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct SecretServiceConformanceTests {
    /// Another one for `scripts/test --all-daemons`.
    private var daemon: String { ProcessInfo.processInfo.environment["TOKEN_CACHE_KEYRING"] ?? "gnome-keyring" }

    /// A keyring needs two minutes for thousands of partitions: that is for the day before a release.
    private static let cases = ConformanceCase.all.filter {
        Scale.isRelease || !$0.id.hasPrefix("thousands of partitions")
    }

    @Test("passes the conformance suite of stores", arguments: cases)
    func conforms(_ testCase: ConformanceCase) throws {
        // Every change of the default collection writes all of its file: thousands of items go to the one in memory.
        let keyring = try PrivateKeyring(daemon)
        let isLarge =
            testCase.id.hasPrefix("thousands of partitions") || testCase.id.hasPrefix("a transaction of 6 MiB")
        let location = keyring.location(collection: isLarge && daemon == "gnome-keyring" ? "session" : nil)
        try withExtendedLifetime(keyring) { try testCase.run(KeyringGroup(location)) }
    }
}

/// A group of the Secret Service store; the first handle creates it.
private final class KeyringGroup: ConformanceGroup {
    private let group: ScratchGroup
    private let isCreated = Mutex(false)

    init(_ location: SecretServiceLocation) throws {
        group = try ScratchGroup(
            location,
            limits: SecretServiceLimits(partitionByteCount: 4 << 20, partitionCount: 10_000)
        )
    }

    func open() throws -> any RecordStore {
        try isCreated.withLock { isCreated in
            defer { isCreated = true }
            return try isCreated ? group.open() : group.create()
        }
    }

    func openReadOnly() throws -> (any RecordStore)? {
        try group.open(.readOnly)
    }

    var smallCommitCount: Int { 200 }
}
