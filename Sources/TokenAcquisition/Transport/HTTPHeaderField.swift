// SPDX-License-Identifier: Apache-2.0

/// A header field of an HTTP request or response.
public struct HTTPHeaderField: Hashable, Sendable {
    /// The name. Names are compared without regard to case (RFC 9110, section 5.1).
    public let name: String
    /// The value.
    public let value: String

    /// Creates a header field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether name and value are valid in a request (RFC 9110, sections 5.1 and 5.5), so that no value begins another
    /// field.
    package var isValid: Bool {
        !name.isEmpty && name.utf8.allSatisfy(Self.isTokenCharacter)
            && value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

extension HTTPHeaderField: CustomStringConvertible, CustomReflectable {
    /// The name.
    public var description: String { name }

    /// No children, because the value may be a credential.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
