// SPDX-License-Identifier: Apache-2.0

/// The correlation id of a request, by which the server's operator finds it in logs: a random UUID.
public struct CorrelationID: Hashable, Sendable, CustomStringConvertible {
    private let text: String

    /// Creates a new random id.
    public init() {
        var bytes = SystemRandom.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
        text = groups.map { digits[$0].joined() }.joined(separator: "-")
    }

    /// Creates an id from text; nil unless it is a UUID.
    public init?(_ text: String) {
        guard UUIDText.isValid(text) else { return nil }
        self.text = text.lowercased()
    }

    /// The id, in lower case.
    public var description: String { text }
}

/// Random bytes from the kernel that need not be kept in secret memory.
enum SystemRandom {
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
