// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Looks up members by name without creating strings.
struct MemberNameTable: Sendable {
    static let shared = MemberNameTable()

    /// The names by length, since few have the same length.
    private var byLength: [[(text: [UInt8], name: MemberName)]] = []
    private var texts = [[UInt8]](repeating: [], count: 256)

    private init() {
        for name in MemberName.allCases {
            let text = Array("\(name.text)".utf8)
            texts[Int(name.rawValue)] = text
            while byLength.count <= text.count { byLength.append([]) }
            byLength[text.count].append((text, name))
        }
    }

    /// The member of exactly that name.
    func name(_ bytes: RawSpan) -> MemberName? {
        guard bytes.byteCount < byLength.count else { return nil }
        return byLength[bytes.byteCount].first { $0.text.rawSpan.isEqual(to: bytes) }?.name
    }

    /// The name in JSON.
    func bytes(of name: MemberName) -> [UInt8] { texts[Int(name.rawValue)] }
}
