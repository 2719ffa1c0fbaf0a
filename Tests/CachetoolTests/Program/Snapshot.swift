// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Texts that are kept in files beside the tests and compared in full.
///
/// Run the tests with `UPDATE_SNAPSHOTS=1` to write them anew; then read what changed.
enum Snapshot {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Snapshots")

    private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1"

    /// The names of the files in a folder.
    static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Self.folder.appending(path: folder).path)
    }

    /// Checks `text` against the file of that name.
    static func check(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = folder.appending(path: name)
        if isUpdating {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }
        let expected = try? String(contentsOf: file, encoding: .utf8)
        #expect(text == expected, "see UPDATE_SNAPSHOTS in Snapshot.swift", sourceLocation: sourceLocation)
    }
}
