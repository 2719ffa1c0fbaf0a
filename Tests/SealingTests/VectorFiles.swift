// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The data files that tests compare with.
enum VectorFiles {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Vectors/Sealing")

    static func load<Content: Decodable>(_ name: String, as type: Content.Type = Content.self) throws -> Content {
        try JSONDecoder().decode(type, from: Data(contentsOf: folder.appending(path: name)))
    }

    /// Whether the files of our own formats are to be written anew instead of compared with: only after a change of a
    /// format that is meant.
    static let areToBeWritten = ProcessInfo.processInfo.environment["UPDATE_VECTORS"] == "1"

    static func save(_ content: some Encodable, as name: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(content) + Data("\n".utf8)).write(to: folder.appending(path: name))
    }
}
