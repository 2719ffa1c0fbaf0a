// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The text form of ``StoreState``: a first line with the kind and version of the file, one line per field, and a last
/// line with a checksum of all preceding lines.
enum StoreStateText {
    static let maximumByteCount = 16 * 1024
    static let firstWords = "swift-token-cache store "
    static let version = 1
    private static let maximumFieldCount = 64
    private static let authenticatorKey = "mac"

    /// The reason why a text was rejected. Never quotes the text.
    struct Flaw: Error {
        enum Kind { case damaged, newer }
        let kind: Kind
        let rule: String
    }

    // MARK: - Writing

    /// - Returns: the whole file.
    static func encode(_ state: StoreState) -> [UInt8] {
        var body = body(of: state)
        if let authenticator = state.authenticator {
            body += "\(authenticatorKey) \(Hexadecimal.text(authenticator))\n"
        }
        return Array((body + "sum \(checksum(Array(body.utf8)))\n").utf8)
    }

    /// All meaningful lines in order: the authenticated text.
    static func body(of state: StoreState) -> String {
        var lines = ["\(firstWords)\(version)"]
        lines.append("storage \(escape(state.storage.rawValue))")
        lines.append("reason \(escape(state.reason))")
        lines.append("group \(escape(state.group))")
        lines.append("phase \(state.phase.rawValue)")
        if let folder = state.folder { lines.append("folder \(escape(folder))") }
        if let collection = state.collection { lines.append("collection \(escape(collection))") }
        lines += Self.lines("moving-to", state.target) + Self.lines("left-in", state.leftover)
        if state.isAnchorPending { lines.append("anchor pending") }
        lines += state.unknownFields.map { "\($0.key) \($0.escapedValue)" }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The lines for a store, at most two.
    private static func lines(_ key: String, _ store: StoreReference?) -> [String] {
        guard let store else { return [] }
        let collection = store.collection.map { ["\(key)-collection \(escape($0))"] } ?? []
        return ["\(key) \(escape(store.storage.rawValue))"] + collection
    }

    // MARK: - Reading

    static func decode(_ bytes: [UInt8]) throws(Flaw) -> StoreState {
        let known = Array(firstWords.utf8)
        guard bytes.starts(with: known) else {
            throw damaged("its first line is not that of a state file")
        }
        guard bytes.count <= maximumByteCount else { throw damaged("it is longer than \(maximumByteCount) bytes") }
        guard bytes.last == UInt8(ascii: "\n") else { throw damaged("its last line is not complete") }
        guard bytes.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x0A }) else {
            throw damaged("it contains a byte that is not a printable ASCII character")
        }
        var lines = lines(bytes)
        try checkVersion(lines[0].dropFirst(known.count))
        guard lines.count >= 2, let last = lines.popLast() else { throw damaged("it has no checksum") }
        let body = bytes.dropLast(last.count + 1)
        guard Array(last) == Array("sum \(checksum(Array(body)))".utf8) else {
            throw damaged("its checksum does not match")
        }
        return try makeState(try fields(lines.dropFirst()))
    }

    /// Splits bytes that end with a line feed into lines.
    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        lines.reserveCapacity(8)
        var start = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
            lines.append(bytes[start..<index])
            start = index + 1
        }
        return lines
    }

    private static func checkVersion(_ digits: ArraySlice<UInt8>) throws(Flaw) {
        let text = String(decoding: digits, as: UTF8.self)
        guard !digits.isEmpty, digits.count <= 6, let number = Int(text), String(number) == text else {
            throw damaged("its version is not a number")
        }
        guard number == version else { throw Flaw(kind: .newer, rule: "its version is \(number)") }
    }

    private static func fields(_ lines: ArraySlice<ArraySlice<UInt8>>) throws(Flaw) -> [(key: String, value: String)] {
        guard lines.count <= maximumFieldCount else { throw damaged("it has more than \(maximumFieldCount) lines") }
        var fields: [(key: String, value: String)] = []
        for line in lines {
            guard let space = line.firstIndex(of: UInt8(ascii: " ")), isKey(line[..<space]) else {
                throw damaged("line \(fields.count + 2) has no key")
            }
            let key = String(decoding: line[..<space], as: UTF8.self)
            guard !fields.contains(where: { $0.key == key }) else {
                throw damaged("line \(fields.count + 2) occurs twice")
            }
            fields.append((key, String(decoding: line[(space + 1)...], as: UTF8.self)))
        }
        return fields
    }

    private static func makeState(_ fields: [(key: String, value: String)]) throws(Flaw) -> StoreState {
        func required(_ key: String) throws(Flaw) -> String {
            guard let value = try optional(key) else { throw damaged("the field \(key) is missing") }
            return value
        }
        func optional(_ key: String) throws(Flaw) -> String? {
            guard let field = fields.first(where: { $0.key == key }) else { return nil }
            guard let value = unescape(field.value) else { throw damaged("the field \(key) is not text") }
            return value
        }
        let storage = try required("storage")
        guard (1...32).contains(storage.utf8.count), storage.utf8.allSatisfy(isKeyByte) else {
            throw damaged("the field storage is not a name")
        }
        let group = try required("group")
        guard isUUID(group) else { throw damaged("the field group is not a UUID") }
        // Older versions stopped all writers during a migration. An interrupted one leaves a target to be emptied.
        let phaseText = try required("phase")
        guard let phase = phaseText == "moving" ? .ready : StorePhase(rawValue: phaseText) else {
            throw Flaw(kind: .newer, rule: "the field phase has a value that this version does not know")
        }
        func store(_ key: String) throws(Flaw) -> StoreReference? {
            guard let kind = try optional(key) else { return nil }
            return StoreReference(StorageKind(rawValue: kind), collection: try optional(key + "-collection"))
        }
        let (target, leftover) = (try store("moving-to"), try store("left-in"))
        // Reject a state that would make a process delete the store in use.
        guard target?.storage.rawValue != storage, leftover?.storage.rawValue != storage else {
            throw damaged("it lists the store in use for removal")
        }
        var state = StoreState(
            storage: StorageKind(rawValue: storage),
            reason: try required("reason"),
            group: group,
            phase: phase,
            folder: try optional("folder"),
            collection: try optional("collection"),
            target: target,
            leftover: leftover,
            unknownFields: fields.filter { !cachedFields.contains($0.key) }
                .map { StoreState.UnknownField(key: $0.key, escapedValue: $0.value) }
        )
        state.isAnchorPending = try optional("anchor") == "pending"
        if let digits = try optional(authenticatorKey) { state.authenticator = try authenticator(digits) }
        return state
    }

    private static func authenticator(_ digits: String) throws(Flaw) -> [UInt8] {
        guard let bytes = Hexadecimal.bytes(digits), bytes.count == 32 else {
            throw damaged("the field \(authenticatorKey) is not 64 hexadecimal digits")
        }
        return bytes
    }

    private static let cachedFields = [
        "storage", "reason", "group", "phase", "folder", "collection", "anchor", "moving-to", "moving-to-collection",
        "left-in", "left-in-collection", authenticatorKey,
    ]

    private static func damaged(_ rule: String) -> Flaw {
        Flaw(kind: .damaged, rule: rule)
    }

    // MARK: - Parts

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func isKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        (1...32).contains(bytes.count) && bytes.allSatisfy(isKeyByte)
    }

    private static func isUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        for (index, byte) in text.utf8.enumerated() {
            switch index {
            case 8, 13, 18, 23: if byte != UInt8(ascii: "-") { return false }
            default: if !(0x30...0x39).contains(byte), !(0x61...0x66).contains(byte) { return false }
            }
        }
        return true
    }

    /// Replaces percent signs and all bytes except printable ASCII with `%XX`.
    private static func escape(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%") {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return escaped
    }

    /// `nil` if an escape is invalid or the result is not UTF-8.
    private static func unescape(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, rest.prefix(2).allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The 64-bit FNV-1a hash as 16 hexadecimal digits. It protects against accidents, not attackers.
    private static func checksum(_ bytes: [UInt8]) -> String {
        let sum = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Hexadecimal.text(bigEndian: sum)
    }
}
