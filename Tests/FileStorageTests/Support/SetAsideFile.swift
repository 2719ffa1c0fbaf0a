// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import Testing

/// A file in the quarantine, which may be longer than memory has room for.
struct SetAsideFile {
    let byteCount: UInt64
    let allocatedByteCount: UInt64
    private let path: String

    init(_ path: String) throws {
        var status = stat()
        try #require(unsafe stat(path, &status) == 0)
        byteCount = UInt64(status.st_size)
        allocatedByteCount = UInt64(status.st_blocks) * 512
        self.path = path
    }

    func bytes(at offset: UInt64, count: Int) throws -> [UInt8] {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: offset)
        return try [UInt8](file.read(upToCount: count) ?? Data())
    }
}

extension ScratchGroup {
    /// What was set aside.
    func setAside() throws -> [SetAsideFile] {
        let folder = path.appending("quarantine").string
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return try names.map { try SetAsideFile(folder + "/" + $0) }
    }
}
