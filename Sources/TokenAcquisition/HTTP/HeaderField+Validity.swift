// SPDX-License-Identifier: Apache-2.0

extension TransportRequest.HeaderField {
    /// Whether the name and the value are valid in a request (RFC 9110, sections 5.1 and 5.5), so that no value can
    /// begin another field.
    package var isValid: Bool {
        !name.isEmpty && name.utf8.allSatisfy(Self.isTokenCharacter)
            && value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
