// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// An optional field of the header. This version defines none, but preserves those of newer versions.
package struct HeaderField: Hashable, Sendable {
    package let type: UInt16
    package let value: [UInt8]

    package init(type: UInt16, value: [UInt8]) {
        self.type = type
        self.value = value
    }

    /// Decodes the fields of a header, or returns `nil` if the bytes are not a sequence of fields.
    static func decode(_ bytes: RawSpan) -> [HeaderField]? {
        var fields: [HeaderField] = []
        var offset = 0
        while offset < bytes.byteCount {
            guard bytes.byteCount - offset >= 4 else { return nil }
            let count = Int(bytes.uint16(at: offset + 2))
            guard bytes.byteCount - offset - 4 >= count else { return nil }
            let value = bytes.extracting(offset + 4..<offset + 4 + count).copied()
            fields.append(HeaderField(type: bytes.uint16(at: offset), value: value))
            offset += 4 + count
        }
        return fields
    }

    static func encode(_ fields: [HeaderField]) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in fields {
            bytes.append(littleEndian: field.type)
            bytes.append(littleEndian: UInt16(field.value.count))
            bytes += field.value
        }
        return bytes
    }
}
