// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import RecordStorage
import Testing

@testable import SecretServiceStorage

/// Many items are asked for with several messages at a time.
@Suite("A keyring with several messages on their way", .serialized)
struct SeveralMessagesTests {
    /// Enough for more messages than are under way at a time.
    private static let numbers = 1...70 as ClosedRange<UInt64>

    /// What a group has whose items a service with this quirk gives out, and the items themselves.
    private func withGroup(_ quirk: String, _ body: (FakeKeyring, ScratchGroup) throws -> Void) throws {
        let fake = try FakeKeyring("later-" + quirk)
        let group = try ScratchGroup(fake.keyring.location())
        let store = try group.create()
        try store.put(
            Self.numbers.map { Records.record($0, in: $0, version: UInt8($0)) },
            until: .after(.seconds(60))
        )
        store.close()
        try body(fake, group)
    }

    @Test("assigns each answer to its request", arguments: ["swaps", "leaves-out", "strays"])
    func answers(quirk: String) throws {
        try withGroup(quirk) { fake, group in
            let items = try group.open().items
            let attributes = items.attributes.some(.partition)
            func secrets(_ count: Int) throws -> [String: [UInt8]] {
                try items.run(until: .after(.seconds(30))) { calls throws(SecretServiceError) in
                    var all: [String: [UInt8]] = [:]
                    var rest = try calls.search(attributes)[...]
                    while !rest.isEmpty {
                        let part = try calls.secrets(of: Array(rest.prefix(count))) { $0.copied() }
                        for (path, secret) in part { all[path] = try secret.get() }
                        rest = rest.dropFirst(count)
                    }
                    return all
                }
            }
            let expected = try secrets(1)
            #expect(expected.count == Self.numbers.count)
            try fake.begin()
            let found = try secrets(.max)
            #expect(found.allSatisfy { expected[$0.key] == $0.value })
            #expect(quirk == "leaves-out" ? found.count < expected.count : found.count == expected.count)
        }
    }

    @Test("gives each account its own records", arguments: ["swaps", "leaves-out", "strays"])
    func records(quirk: String) throws {
        try withGroup(quirk) { fake, group in
            let reader = try group.open()
            try fake.begin()
            let tags = try reader.partitionsToRead().map(\.tag)
            #expect(Set(tags) == Set(Self.numbers.map(Records.partition)))
            for number in Self.numbers { #expect(try reader.version(in: number) == UInt8(number)) }
        }
    }

    @Test("ends by the deadline where only the first answers come")
    func silence() throws {
        try withGroup("tires-of-secrets") { fake, group in
            let reader = try group.open()
            try fake.begin()
            let (code, time) = failure { try reader.partitionsToRead() }
            #expect(code == .timeout)
            #expect(time < .seconds(20), "\(time)")
            try fake.end()
            #expect(try reader.readEverything().count == Self.numbers.count)
        }
    }
}
