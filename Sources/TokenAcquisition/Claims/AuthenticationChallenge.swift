// SPDX-License-Identifier: Apache-2.0

/// A challenge of the header `WWW-Authenticate` (RFC 9110, section 11.6.1).
struct AuthenticationChallenge: Equatable {
    /// The scheme, in lower case.
    let scheme: String
    /// The parameters by their names in lower case. If a name is repeated, its first value counts.
    var parameters: [String: String] = [:]

    /// Parses the challenges of a header up to the first violation of the grammar, and ignores the rest.
    static func all(in header: String) -> [AuthenticationChallenge] {
        var reader = Reader(rest: Array(header.unicodeScalars)[...])
        var challenges: [AuthenticationChallenge] = []
        while true {
            reader.skip { $0 == "," || Reader.isSpace($0) }
            guard let token = reader.token() else { return challenges }
            reader.skip(Reader.isSpace)
            if reader.rest.first == "=", !challenges.isEmpty {
                reader.rest.removeFirst()
                // Padding of a token68 ends a challenge, and has no meaning here.
                reader.skip { $0 == "=" || Reader.isSpace($0) }
                guard let value = reader.value() else { continue }
                let last = challenges.count - 1
                challenges[last].parameters.merge([token.lowercased(): value]) { first, _ in first }
            } else {
                challenges.append(AuthenticationChallenge(scheme: token.lowercased()))
            }
        }
    }

    private struct Reader {
        var rest: ArraySlice<Unicode.Scalar>

        static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

        mutating func skip(_ isSkipped: (Unicode.Scalar) -> Bool) {
            rest = rest.drop(while: isSkipped)
        }

        /// A token, or the text of a token68.
        mutating func token() -> String? {
            let token = rest.prefix { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || "0123456789!#$%&'*+-.^_`|~/".unicodeScalars.contains(scalar))
            }
            rest = rest.dropFirst(token.count)
            return token.isEmpty ? nil : Self.text(token)
        }

        /// A token or a quoted string.
        mutating func value() -> String? {
            guard rest.first == "\"" else { return token() }
            rest.removeFirst()
            var text: [Unicode.Scalar] = []
            while let scalar = rest.popFirst(), scalar != "\"" {
                if scalar == "\\", let escaped = rest.popFirst() { text.append(escaped) } else { text.append(scalar) }
            }
            return Self.text(text[...])
        }

        private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            return String(text)
        }
    }
}
