// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

extension JSONValue {
    /// Appends the value as JSON without white space. Numbers keep their text; strings are escaped only where they must
    /// be. Not for secrets.
    package func write(to output: inout [UInt8]) {
        switch self {
        case .object(let members):
            output.append(ASCII.openBrace)
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(ASCII.comma) }
                JSONValue.write(member.name, to: &output)
                output.append(ASCII.colon)
                member.value.write(to: &output)
            }
            output.append(ASCII.closeBrace)
        case .array(let elements):
            output.append(ASCII.openBracket)
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(ASCII.comma) }
                element.write(to: &output)
            }
            output.append(ASCII.closeBracket)
        case .string(let text): JSONValue.write(text, to: &output)
        case .number(let text): output += Array(text.utf8)
        case .boolean(let value): output += Array((value ? "true" : "false").utf8)
        case .null: output += Array("null".utf8)
        }
    }

    private static func write(_ text: UTF8Text, to output: inout [UInt8]) {
        output.append(ASCII.quote)
        JSONString.appendEscaped(text.bytes, to: &output)
        output.append(ASCII.quote)
    }

    /// The object with a member set, appended if it is new, or removed for nil. Other members are unchanged.
    func setting(_ name: UTF8Text, to value: JSONValue?) -> JSONValue {
        guard case .object(var members) = self else { return self }
        let index = members.firstIndex { $0.name == name }
        switch (index, value) {
        case (let index?, let value?): members[index] = Member(name: name, value: value)
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append(Member(name: name, value: value))
        case (nil, nil): break
        }
        return .object(members)
    }
}
