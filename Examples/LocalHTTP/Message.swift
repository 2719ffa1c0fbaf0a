// SPDX-License-Identifier: Apache-2.0

/// A request or an answer of HTTP, as far as a token endpoint needs it.
package struct Message: Sendable {
    /// The first line.
    package let start: String
    /// What comes after the head.
    package let body: String

    /// Nil where not all of it is there yet.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let halves = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let lines = halves[0].split(separator: "\r\n")
        let length = lines.dropFirst().compactMap { line -> Int? in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { return nil }
            return Int(parts[1].drop { $0 == " " })
        }
        guard let start = lines.first, halves[1].utf8.count >= length.first ?? 0 else { return nil }
        self.start = String(start)
        body = String(halves[1])
    }

    /// The fields of a form. Values are taken as they are: what is sent here needs no escapes.
    package var form: [String: String] {
        var fields: [String: String] = [:]
        for pair in body.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
        }
        return fields
    }
}
