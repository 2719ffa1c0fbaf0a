// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The state file of a group as somebody edits it who has no keys: line by line, the checksum made anew.
struct StoreText {
    let path: String
    /// All lines but the checksum.
    var lines: [String]

    init(_ path: String) throws {
        self.path = path
        lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        if lines.last?.hasPrefix("sum ") == true { lines.removeLast() }
    }

    /// The value of a line; setting it replaces the line, adds one at the end, or takes it away.
    subscript(key: String) -> String? {
        get { lines.first { $0.hasPrefix(key + " ") }.map { String($0.dropFirst(key.count + 1)) } }
        set {
            let index = lines.firstIndex { $0.hasPrefix(key + " ") }
            switch (index, newValue) {
            case (let index?, let value?): lines[index] = "\(key) \(value)"
            case (let index?, nil): lines.remove(at: index)
            case (nil, let value?): lines.append("\(key) \(value)")
            case (nil, nil): break
            }
        }
    }

    func write() {
        let body = lines.map { $0 + "\n" }.joined()
        let sum = body.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let text = body + "sum " + String(format: "%016lx", sum) + "\n"
        _ = FileManager.default.createFile(
            atPath: path,
            contents: Data(text.utf8),
            attributes: [.posixPermissions: 0o600]
        )
    }

    /// Edits the file at `path`.
    static func edit(_ path: String, _ body: (inout StoreText) -> Void) throws {
        var text = try StoreText(path)
        body(&text)
        text.write()
    }
}
