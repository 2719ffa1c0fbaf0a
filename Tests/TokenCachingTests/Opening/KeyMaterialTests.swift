// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import RecordStorage
import Sealing
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("The key material that opens a group")
struct KeyMaterialTests {
    let fixture = GroupFixture()

    @Test("a passphrase opens the group that was created with it")
    func passphrase() throws {
        let passphrase = AskedPassphrase("correct horse")
        try fixture.create(passphrase.storage).put(1)
        #expect(passphrase.purposes == [.create])
        #expect(try fixture.open(passphrase.storage).has(1))
        #expect(passphrase.purposes == [.create, .open])
        #expect(fixture.keyFiles.isEmpty)
    }

    @Test("a wrong passphrase is rejected and changes nothing")
    func wrongPassphrase() throws {
        try fixture.create(AskedPassphrase("correct horse").storage)
        let journal = fixture.contents("journal")
        #expect(fixture.refusal(AskedPassphrase("battery staple").storage, access: .create) == .keyRejected)
        #expect(fixture.contents("journal") == journal)
    }

    @Test(
        "a slot with a forged cost does not open, and a repair finds the copy that does",
        arguments: [(10, 1 << 20, .unsupportedKDF), (7, 256 << 10, .unsupportedKDF), (4, 64 << 10, .keyRejected)]
            as [(UInt32, UInt32, TokenCacheError.Code)]
    )
    func forgedCost(passes: UInt32, memoryKiB: UInt32, code: TokenCacheError.Code) throws {
        let passphrase = AskedPassphrase("correct horse")
        try fixture.create(passphrase.storage).put(1)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: fixture.path("journal")))
        // The first slot of the block, which stands in the header.
        try file.seek(toOffset: 128 + 112 + 20)
        var cost: [UInt8] = []
        for number in [passes, memoryKiB] { cost += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        try file.write(contentsOf: cost)
        try file.close()
        #expect(fixture.refusal(passphrase.storage) == code)
        // Nobody is asked in vain.
        #expect(passphrase.purposes == [.create] + (code == .keyRejected ? [.open] : []))
        #expect(TokenCacheError(code).description.contains("cachetool repair --dry-run"))
        #expect(try fixture.opener(passphrase.storage).repair(isDryRun: false).isRepaired)
        #expect(try fixture.open(passphrase.storage).has(1))
    }

    @Test("declining to give a passphrase is keyMissing")
    func declined() throws {
        try fixture.create(AskedPassphrase("correct horse").storage)
        #expect(fixture.refusal(AskedPassphrase(nil).storage) == .keyMissing)
    }

    @Test("declining while a group is created leaves nothing that another opener must deal with")
    func declinedCreation() throws {
        #expect(fixture.refusal(AskedPassphrase(nil).storage, access: .create) == .keyMissing)
        #expect(fixture.contents("store") == nil)
        try fixture.create(AskedPassphrase("other").storage)
    }

    @Test("an error of the passphrase closure is thrown on")
    func ownError() throws {
        let storage = StorageChoice.file(
            unlockedBy: .passphrase { _ throws(TokenCacheError) in throw TokenCacheError(.cancelled) }
        )
        #expect(fixture.refusal(storage, access: .create) == .cancelled)
    }

    @Test("an empty passphrase is refused")
    func empty() throws {
        #expect(fixture.refusal(AskedPassphrase("").storage, access: .create) == .invalidRequest)
    }

    @Test("no key, and two passphrases, are refused")
    func noChoice() throws {
        let passphrase = AskedPassphrase("correct horse")
        for choices in [[], [passphrase.choice, passphrase.choice]] {
            #expect(fixture.refusal(.file(unlockedBy: .anyOf(choices)), access: .create) == .invalidRequest)
        }
        #expect(fixture.scratch.files.isEmpty)
    }

    @Test("a group with a passphrase only does not open with a key file")
    func missingMaterial() throws {
        try fixture.create(AskedPassphrase("correct horse").storage)
        #expect(fixture.refusal() == .keyMissing)
    }

    @Test("no passphrase is requested if a key file opens the group")
    func keyFileFirst() throws {
        let passphrase = AskedPassphrase("correct horse")
        let both = StorageChoice.file(unlockedBy: .anyOf([passphrase.choice, .keyFile]))
        try fixture.create(both).put(1)
        #expect(try fixture.open(both).has(1))
        #expect(passphrase.purposes == [.create])
        #expect(try fixture.open(passphrase.storage).has(1))
        #expect(try fixture.open().has(1))
    }

    @Test("a passphrase helps where the key file is lost")
    func lostKeyFile() throws {
        let passphrase = AskedPassphrase("correct horse")
        let both = StorageChoice.file(unlockedBy: .anyOf([.keyFile, passphrase.choice]))
        try fixture.create(both).put(1)
        try FileManager.default.removeItem(atPath: fixture.keyFiles[0])
        #expect(try fixture.open(both).has(1))
        #expect(passphrase.purposes == [.create, .open])
    }

    @Test("without its own key file a group is not opened and not created again")
    func missingOwnKeyFile() throws {
        try fixture.create()
        try FileManager.default.removeItem(atPath: fixture.keyFiles[0])
        let journal = fixture.contents("journal")
        #expect(fixture.refusal(access: .create) == .keyMissing)
        #expect(fixture.contents("journal") == journal)
        #expect(fixture.keyFiles.isEmpty)
    }

    @Test(
        "an own key file with other content is refused",
        arguments: [(32, TokenCacheError.Code.keyRejected), (31, .keyFileInvalid), (0, .keyFileInvalid)]
    )
    func otherContent(count: Int, code: TokenCacheError.Code) throws {
        try fixture.create()
        let path = fixture.keyFiles[0]
        try Data(repeating: 1, count: count).write(to: URL(fileURLWithPath: path))
        _ = unsafe chmod(path, 0o600)
        #expect(fixture.refusal() == code)
    }

    @Test("an own key file that others can read is refused")
    func readableKeyFile() throws {
        try fixture.create()
        _ = unsafe chmod(fixture.keyFiles[0], 0o644)
        #expect(fixture.refusal() == .unsafePermissions)
    }

    @Test("a named key file that is missing is made with a new group")
    func namedKeyFile() throws {
        let path = fixture.scratch.path("my key")
        try fixture.create(.file(unlockedBy: .keyFile(path: path))).put(1)
        #expect(FileManager.default.contents(atPath: path)?.count == 32)
        #expect(fixture.keyFiles.isEmpty)
        #expect(try fixture.open(.file(unlockedBy: .keyFile(path: path))).has(1))
    }

    @Test("a named key file that is there is used and left as it is")
    func existingKeyFile() throws {
        let path = fixture.scratch.write([UInt8](repeating: 5, count: 100), to: "key")
        try fixture.create(.file(unlockedBy: .keyFile(path: path)))
        #expect(FileManager.default.contents(atPath: path) == Data(repeating: 5, count: 100))
    }

    @Test("a named key file that is missing is an error for a group that exists")
    func missingNamedKeyFile() throws {
        try fixture.create()
        let path = fixture.scratch.path("no")
        #expect(fixture.refusal(.file(unlockedBy: .keyFile(path: path)), access: .create) == .keyMissing)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a key file that a group was made with has to be named at each opening")
    func ownPlaceOnly() throws {
        let elsewhere = ScratchFolder()
        let path = elsewhere.path("key")
        try fixture.create(.file(unlockedBy: .keyFile(path: path))).put(1)
        #expect(try fixture.open(.file(unlockedBy: .keyFile(path: path))).has(1))
        let error = #expect(throws: StorageError.self) { try fixture.open() }
        #expect(error?.code == .keyMissing)
    }

    @Test("a key file of another group is rejected")
    func foreignKeyFile() throws {
        try fixture.create()
        let path = fixture.scratch.write([UInt8](repeating: 5, count: 32), to: "key")
        #expect(fixture.refusal(.file(unlockedBy: .keyFile(path: path))) == .keyRejected)
    }

    @Test(
        "a passphrase is read from a descriptor to its end, without the line break",
        arguments: [("secret\n", "secret"), ("secret\r\n", "secret"), ("secret", "secret"), ("a\nb\n", "a\nb")]
    )
    func descriptor(text: String, expected: String) throws {
        let path = fixture.scratch.write(Array(text.utf8), to: "passphrase")
        let handle = try #require(FileHandle(forReadingAtPath: path))
        let passphrase = try Passphrase(readingFrom: handle.fileDescriptor)
        let isExpected = passphrase.bytes.withBytes { $0.isEqual(to: Array(expected.utf8).rawSpan) }
        #expect(isExpected)
    }

    @Test("passphrases on successive lines of one descriptor are read one after the other")
    func lines() throws {
        let longest = String(repeating: "a", count: Passphrase.maximumByteCount)
        let path = fixture.scratch.write(Array("old\n\(longest)\nnew\r\nlast".utf8), to: "passphrase")
        let handle = try #require(FileHandle(forReadingAtPath: path))
        for expected in ["old", longest, "new\r", "last"] {
            let passphrase = try Passphrase(readingLineFrom: handle.fileDescriptor)
            let isExpected = passphrase.isEqual(to: try Passphrase(expected))
            #expect(isExpected)
        }
    }

    @Test("a copy of a passphrase is the same, and outlives it")
    func copy() throws {
        let copy = try Passphrase("secret").copy()
        let (isSame, isOther) = (copy.isEqual(to: try Passphrase("secret")), copy.isEqual(to: try Passphrase("secreT")))
        #expect(isSame && !isOther)
    }

    @Test("an overlong passphrase is refused", arguments: [4_097, 100_000])
    func overlong(count: Int) throws {
        let path = fixture.scratch.write([UInt8](repeating: 65, count: count), to: "passphrase")
        for isLine in [false, true] {
            let handle = try #require(FileHandle(forReadingAtPath: path))
            let error = #expect(throws: TokenCacheError.self) {
                let descriptor = handle.fileDescriptor
                _ = isLine ? try Passphrase(readingLineFrom: descriptor) : try Passphrase(readingFrom: descriptor)
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("an empty line is not a passphrase", arguments: ["", "\n", "\nmore\n"])
    func emptyLine(text: String) throws {
        let path = fixture.scratch.write(Array(text.utf8), to: "passphrase")
        let handle = try #require(FileHandle(forReadingAtPath: path))
        let error = #expect(throws: TokenCacheError.self) {
            _ = try Passphrase(readingLineFrom: handle.fileDescriptor)
        }
        #expect(error?.code == .invalidRequest)
    }
}
