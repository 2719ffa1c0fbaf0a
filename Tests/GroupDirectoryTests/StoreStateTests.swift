// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import SystemPackage
import Testing

@Suite("State file")
struct StoreStateTests {
    let scratch = Scratch()

    static let sample = StoreState(
        storage: .file,
        reason: "no keyring answered jürgen, 100% sure\n",
        group: "6f9619ff-8b86-4011-b42d-00c04fc964ff",
        phase: .ready,
        folder: "18446744073709551615.1795793000000000001",
        unknownFields: [StoreState.UnknownField(key: "later-field", escapedValue: "%41 value")]
    )

    @Test("bytes written are bytes read")
    func roundTrip() throws {
        let group = try scratch.group()
        #expect(try group.readState() == nil)
        try group.writeState(Self.sample, under: group.lock(.writer, until: .standard))
        #expect(try scratch.group(.readWrite).readState() == Self.sample)
    }

    @Test("the file looks as documented")
    func golden() throws {
        let group = try scratch.group()
        try group.writeState(Self.sample, under: group.lock(.writer, until: .standard))
        let text = try String(contentsOfFile: group.path.appending("store").string, encoding: .utf8)
        #expect(
            text == """
                swift-token-cache store 1
                storage file
                reason no keyring answered j%C3%BCrgen, 100%25 sure%0A
                group 6f9619ff-8b86-4011-b42d-00c04fc964ff
                phase ready
                folder 18446744073709551615.1795793000000000001
                later-field %41 value
                sum c663abe5d1d17184

                """
        )
    }

    @Test("fields that are not known are kept when the file is rewritten")
    func unknownFields() throws {
        let group = try scratch.group()
        let lock = try group.lock(.writer, until: .standard)
        try group.writeState(Self.sample, under: lock)
        var state = try #require(try group.readState())
        state.phase = .creating
        try group.writeState(state, under: lock)
        #expect(try group.readState()?.unknownFields == Self.sample.unknownFields)
        #expect(try group.readState()?.phase == .creating)
    }

    @Test("a change of one bit is noticed, wherever it is")
    func bitFlips() throws {
        let group = try scratch.group()
        try group.writeState(Self.sample, under: group.lock(.writer, until: .standard))
        let path = group.path.appending("store").string
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // The lowest bit, the one between upper and lower case, and the highest one.
        for bit in 0..<bytes.count * 8 where [0, 5, 7].contains(bit % 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            try changed.write(to: URL(fileURLWithPath: path))
            let found = code { () throws(StorageError) in try group.readState() }
            #expect([.damaged, .unsupportedVersion].contains(found), "bit \(bit)")
        }
    }

    @Test("a file cut short anywhere is damaged, never absent")
    func truncation() throws {
        let group = try scratch.group()
        try group.writeState(Self.sample, under: group.lock(.writer, until: .standard))
        let path = group.path.appending("store").string
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for length in 0..<bytes.count {
            try bytes.prefix(length).write(to: URL(fileURLWithPath: path))
            #expect(code { () throws(StorageError) in try group.readState() } == .damaged, "\(length) bytes")
        }
    }

    @Test("a file of a newer version is refused as such", arguments: ["2", "17", "999999"])
    func newer(version: String) throws {
        let group = try scratch.group()
        try write("swift-token-cache store \(version)\nanything\n", to: group)
        #expect(code { () throws(StorageError) in try group.readState() } == .unsupportedVersion)
    }

    @Test("another file in its place is damage", arguments: ["hello\n", "{\"storage\": \"file\"}\n", "\0\0\0\0"])
    func anotherFile(text: String) throws {
        let group = try scratch.group()
        try write(text, to: group)
        #expect(code { () throws(StorageError) in try group.readState() } == .damaged)
    }

    @Test("an endless file is not read to its end")
    func endless() throws {
        let group = try scratch.group()
        try write("swift-token-cache store 1\n" + String(repeating: "a b\n", count: 100_000), to: group)
        #expect(code { () throws(StorageError) in try group.readState() } == .damaged)
    }

    @Test(
        "what breaks a rule is damage though its checksum is right",
        arguments: [
            "swift-token-cache store 1\n",
            "swift-token-cache store 01\nstorage file\n",
            "swift-token-cache store 1\nstorage file\nstorage file\nreason \ngroup \(sample.group)\nphase ready\n",
            "swift-token-cache store 1\nstorage FILE\nreason \ngroup \(sample.group)\nphase ready\n",
            "swift-token-cache store 1\nstorage file\nreason \ngroup 6F9619FF\nphase ready\n",
            "swift-token-cache store 1\nstorage file\nreason %4\ngroup \(sample.group)\nphase ready\n",
            "swift-token-cache store 1\nstorage file\nreason %+4\ngroup \(sample.group)\nphase ready\n",
            "swift-token-cache store 1\nstorage file\nreason %FF\ngroup \(sample.group)\nphase ready\n",
            "swift-token-cache store 1\nstorage file\n\nreason \ngroup \(sample.group)\nphase ready\n",
            "swift-token-cache store 1\nstorage\nreason \ngroup \(sample.group)\nphase ready\n",
            "swift-token-cache store 1\nreason \ngroup \(sample.group)\nphase ready\n",
        ]
    )
    func rules(text: String) throws {
        let group = try scratch.group()
        let sum = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        try write(text + "sum " + String(format: "%016lx", sum) + "\n", to: group)
        #expect(code { () throws(StorageError) in try group.readState() } == .damaged)
    }

    @Test("a phase of a newer version is not taken for another one")
    func newerPhase() throws {
        let group = try scratch.group()
        let text = "swift-token-cache store 1\nstorage file\nreason \ngroup \(Self.sample.group)\nphase leaving\n"
        let sum = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        try write(text + "sum " + String(format: "%016lx", sum) + "\n", to: group)
        #expect(code { () throws(StorageError) in try group.readState() } == .unsupportedVersion)
    }

    @Test("a state that does not fit is refused and the old one stays")
    func tooLarge() throws {
        let group = try scratch.group()
        let lock = try group.lock(.writer, until: .standard)
        try group.writeState(Self.sample, under: lock)
        var state = Self.sample
        state.reason = String(repeating: "x", count: 20_000)
        let found = code { () throws(StorageError) in try group.writeState(state, under: lock) }
        #expect(found == .tooLarge)
        #expect(try group.readState() == Self.sample)
    }

    private func write(_ text: String, to group: GroupDirectory) throws {
        let path = group.path.appending("store").string
        #expect(
            FileManager.default.createFile(
                atPath: path,
                contents: Data(text.utf8),
                attributes: [.posixPermissions: 0o600]
            )
        )
    }
}
