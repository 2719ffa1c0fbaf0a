// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A private folder of a test, removed with the value.
final class ScratchFolder: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "tcs-" + UUID().uuidString
        try? FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something in the folder.
    func path(_ name: String) -> String { path + "/" + name }

    /// Writes a file of this mode.
    @discardableResult
    func write(_ bytes: [UInt8], to name: String, mode: Int = 0o600) -> String {
        _ = FileManager.default.createFile(
            atPath: path(name),
            contents: Data(bytes),
            attributes: [.posixPermissions: mode]
        )
        return path(name)
    }

    /// Every file below the folder, by path relative to it, sorted.
    var files: [String] {
        (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []).sorted()
    }
}
