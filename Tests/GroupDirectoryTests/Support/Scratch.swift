// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import SystemPackage

/// A folder of its own for one test, below a private one, removed with everything in it.
final class Scratch: Sendable {
    let path: FilePath

    init() {
        let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
        path = FilePath(base).appending("group-directory-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(
            atPath: path.string,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path.string)
    }

    var root: FilePath { path.appending("root") }

    func group(_ access: DirectoryAccess = .create, name: String = "test") throws(StorageError) -> GroupDirectory {
        try GroupDirectory.open(root: root, name: GroupName(name), access: access)
    }
}

/// The code that `body` fails with.
func code<Result>(_ body: () throws(StorageError) -> Result) -> StorageError.Code? {
    do throws(StorageError) {
        _ = try body()
        return nil
    } catch {
        return error.code
    }
}

/// Runs a program and gives back what it says.
@discardableResult
func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
}
