// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Sealing
import SystemPackage
import Testing

@testable import SecretServiceStorage

@Suite("Numbers in the list of items", .serialized)
struct ItemListNumberTests {
    /// Every number of the file, by where the format document says it stands; the last ones are of the first row.
    private static let fields: [(name: String, offset: Int, width: Int)] = [
        ("major version", 8, 2), ("minor version", 10, 2), ("epoch", 12, 4), ("boot", 32, 8), ("sequence", 48, 8),
        ("pending sequence", 56, 8), ("emptied at", 64, 8), ("forgotten through", 72, 8), ("rows", 80, 4),
        ("pending partitions", 84, 4), ("erasures", 88, 4), ("sequence of a row", 108, 8), ("records of a row", 116, 4),
        ("bytes of a row", 120, 4), ("search tags of a row", 124, 4),
    ]

    private static func extremes(_ width: Int) -> [UInt64] {
        let largest = UInt64.max >> UInt64(64 - 8 * width)
        return [0, 1, largest, largest - 1, largest / 2 + 1]
    }

    private let keyring: PrivateKeyring
    private let group: ScratchGroup
    private let path: String

    /// A group with two partitions.
    init() throws {
        keyring = try PrivateKeyring()
        group = try ScratchGroup(keyring.location())
        path = group.root.appending("\(group.name.text)/items").string
        let store = try group.create()
        try store.put([Records.record(1, in: 1, version: 1), Records.record(2, in: 2, version: 2)])
        store.close()
    }

    /// Reads and writes with this list in the folder, then looks at what the keyring has.
    private func checkNothingIsLost(with list: [UInt8], _ what: String) throws {
        try Data(list).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        // A list under the keys of the group may say what it likes; whatever it says, an error is typed.
        do {
            let store = try group.open()
            _ = try? store.version(in: 2)
            _ = try? store.put([Records.record(3, in: 3, version: 1)])
            store.close()
        } catch let error as StorageError {
            #expect(error.code != .notFound, "\(what)")
        }
        try FileManager.default.removeItem(atPath: path)
        let store = try group.open()
        defer { store.close() }
        #expect(try store.version(in: 1) == 1, "\(what)")
        #expect(try store.version(in: 2) == 2, "\(what)")
        _ = try store.refresh(until: .after(.seconds(20)))
        try store.put([Records.record(4, in: 4, version: 1)])
    }

    @Test("at their extremes end no process and lose nothing, whether or not the list verifies")
    func extremes() throws {
        let keys = try KeyringKeys(group.keys)
        for field in Self.fields {
            for value in Self.extremes(field.width) {
                var list = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
                try #require(list.count >= 128 + 16)
                for byte in 0..<field.width {
                    list[field.offset + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))
                }
                try checkNothingIsLost(with: list, "\(field.name) = \(value)")
                let body = Array(list.dropLast(16))
                list = body + (try keys.hash(body))
                try checkNothingIsLost(with: list, "\(field.name) = \(value), sealed")
            }
        }
    }

    @Test(
        "a list that claims any length is treated as missing",
        arguments: [0, 1, 15, 16, 17, 91, 92, 1 << 30, 1 << 40, 8 << 40]
    )
    func length(_ count: Int) throws {
        let isSet = unsafe truncate(path, count) == 0
        #expect(isSet)
        let store = try group.open()
        #expect(try store.version(in: 1) == 1)
        #expect(try store.version(in: 2) == 2)
        try store.put([Records.record(1, in: 1, version: 3)])
        #expect(try store.version(in: 1) == 3)
    }
}
