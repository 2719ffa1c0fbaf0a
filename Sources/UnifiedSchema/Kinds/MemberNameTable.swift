internal import ByteOperations

/// Finds the member that a name stands for, without building text.
struct MemberNameTable: Sendable {
    static let shared = MemberNameTable()

    /// The names by their length: few have the same.
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

    /// The name as it stands in the JSON.
    func bytes(of name: MemberName) -> [UInt8] { texts[Int(name.rawValue)] }
}
