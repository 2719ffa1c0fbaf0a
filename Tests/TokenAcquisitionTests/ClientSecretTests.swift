// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import Sealing
import Testing
import TokenCaching

@testable import TokenAcquisition

/// Files with a client secret or an assertion: they have to be as private as key files.
@Suite struct ClientSecretTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func file(_ content: String, mode: Int = 0o600) throws -> String {
        let path = folder.appending(path: UUID().uuidString).path
        try Data(content.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private func read(_ path: String, mayBeMounted: Bool = false) throws -> String {
        try text(of: ClientSecret(readingFileAt: path, mayBeMounted: mayBeMounted))
    }

    private func text(of secret: borrowing ClientSecret) throws -> String {
        let text = String(secret.bytes.bytes)
        return try #require(text)
    }

    private func refusal(_ path: String, mayBeMounted: Bool = false) -> TokenCacheError.Code? {
        let error = #expect(throws: TokenCacheError.self) { try read(path, mayBeMounted: mayBeMounted) }
        if let error { #expect(!"\(error)".contains("canary")) }
        return error?.code
    }

    @Test(arguments: [
        ("canary", "canary"), ("canary\n", "canary"), ("canary\r\n", "canary"), (" can ary ", " can ary "), ("é", "é"),
    ])
    func `a line break at the end is no part of the secret`(_ content: String, _ secret: String) throws {
        #expect(try read(try file(content)) == secret)
    }

    @Test(arguments: ["", "\n", "\r\n", "a\nb", "canary\n\n", "canary\0", "\0", "can\tary", "\u{7F}", "a\rb"])
    func `a file that is empty or has a control character contains no secret`(_ content: String) throws {
        #expect(refusal(try file(content)) == .invalidRequest)
    }

    @Test func `a secret has at most 16 KiB`() throws {
        #expect(try read(try file(String(repeating: "x", count: 16_384) + "\n")).utf8.count == 16_384)
        #expect(refusal(try file(String(repeating: "x", count: 16_385))) == .invalidRequest)
        #expect(refusal(try file(String(repeating: "x", count: 1 << 20))) == .invalidRequest)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o666, 0o644]) func `a file that others can read is refused`(
        _ mode: Int
    ) throws {
        #expect(refusal(try file("canary", mode: mode)) == .unsafePermissions)
    }

    @Test(.enabled(if: geteuid() == 0)) func `a file of another user is refused`() throws {
        let path = try file("canary")
        try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: path)
        #expect(refusal(path) == .unsafePermissions)
        #expect(refusal(path, mayBeMounted: true) == .unsafePermissions)
    }

    @Test func `what is no file is refused at once`() throws {
        let fifo = folder.appending(path: "fifo").path
        #expect(unsafe mkfifo(fifo, 0o600) == 0)
        let link = folder.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: try file("canary"))
        for path in [fifo, link, folder.path, folder.path + "/", "/dev/null", "/", ""] {
            #expect([.unsafeFile, .unsafePermissions].contains(refusal(path)), "\(path)")
        }
        #expect(refusal(fifo, mayBeMounted: true) == .unsafeFile)
        #expect(refusal(folder.appending(path: "absent").path) == .notFound)
    }

    @Test func `a file that the system mounted is accepted only where that is allowed`() throws {
        // In memory, as secrets that are mounted are; behind the two links of Kubernetes.
        let volume = URL(filePath: "/dev/shm/secrets-\(UUID().uuidString)")
        let version = volume.appending(path: "..2026")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: volume) }
        try Data("canary\n".utf8).write(to: version.appending(path: "token"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644],
            ofItemAtPath: version.appending(path: "token").path
        )
        let links = [("..data", "..2026"), ("token", "..data/token")]
        for (link, target) in links {
            try FileManager.default.createSymbolicLink(
                atPath: volume.appending(path: link).path,
                withDestinationPath: target
            )
        }
        let path = volume.appending(path: "token").path
        #expect(refusal(path) == .unsafeFile)
        #expect(try read(path, mayBeMounted: true) == "canary")
    }

    @Test func `a descriptor gives its first line, and leaves the next one`() throws {
        let file = try FileHandle(forReadingFrom: URL(filePath: try file("canary\r\nsecond\n")))
        #expect(try text(of: ClientSecret(readingLineFrom: file.fileDescriptor)) == "canary")
        #expect(try text(of: ClientSecret(readingLineFrom: file.fileDescriptor).copy()) == "second")
        #expect(throws: TokenCacheError.self) { try text(of: ClientSecret(readingLineFrom: file.fileDescriptor)) }
    }
}
