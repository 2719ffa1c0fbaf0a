// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing

/// The body of a token request: names and values, encoded as `application/x-www-form-urlencoded` in UTF-8 (RFC 6749,
/// appendix B). A name occurs only once (section 3.2).
struct FormBody {
    private(set) var bytes: [UInt8] = []
    private var names: Set<String> = []

    /// Creates a body with enough capacity that appending secrets does not leave copies in freed memory.
    init(capacity: Int = 8192) {
        bytes.reserveCapacity(capacity)
    }

    /// Adds a field, unless one of this name was added before.
    mutating func add(_ name: String, _ value: String) {
        guard begin(name) else { return }
        append(value.rawSpan)
    }

    /// Adds a field if there is a value.
    mutating func add(_ name: String, _ value: String?) {
        if let value { add(name, value) }
    }

    /// Adds a secret field, unless one of this name was added before.
    mutating func add(_ name: String, secret: RawSpan) {
        guard begin(name) else { return }
        let needed = bytes.count + 3 * secret.byteCount
        if needed > bytes.capacity { grow(to: needed) }
        append(secret)
    }

    /// Overwrites the bytes with zeros, unless another reference shares them.
    mutating func wipe() {
        bytes.wipe()
    }

    /// Moves the bytes to a larger array and wipes the old one: appending to a full array would leave the old bytes in
    /// memory.
    private mutating func grow(to capacity: Int) {
        var larger: [UInt8] = []
        larger.reserveCapacity(capacity + 4096)
        larger += bytes
        bytes.wipe()
        bytes = larger
    }

    private mutating func begin(_ name: String) -> Bool {
        guard names.insert(name).inserted else { return false }
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        append(name.rawSpan)
        bytes.append(UInt8(ascii: "="))
        return true
    }

    private mutating func append(_ text: RawSpan) {
        Self.encode(text, to: &bytes)
    }

    /// Appends a name or a value in its encoded form.
    static func encode(_ text: RawSpan, to bytes: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        for offset in 0..<text.byteCount {
            let byte = text.byte(at: offset)
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                bytes.append(byte)
            case UInt8(ascii: " "):
                bytes.append(UInt8(ascii: "+"))
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }
}

extension FormBody {
    /// The parameters as a query of a URL.
    var query: String { String(bytes.rawSpan) ?? "" }
}
