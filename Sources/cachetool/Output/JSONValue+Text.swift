// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import ToolInterface

extension JSONValue {
    /// The value on one line, safe on a terminal.
    var json: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let text): Self.isJSON(number: text) ? text : Self.quoted(text)
        case .string(let text): Self.quoted(text)
        case .array(let values): "[" + values.map(\.json).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ": " + $0.value.json }.joined(separator: ", ") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + JSONWriter.escaped(text) + "\""
    }

    /// Python writes `NaN` and `Infinity`, which the cache preserves but strict readers reject.
    private static func isJSON(number: String) -> Bool {
        number.utf8.last.map { (0x30...0x39).contains($0) } ?? false
    }
}
