// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Skips one JSON value of any length, window by window, checking that it is well-formed.
///
/// For rejected values that must not stop the reader. Memory use is constant: names are not compared, and nesting
/// beyond `JSONScanner.highestDepth` levels, or a number longer than a window, throws.
struct JSONSkipper {
    private enum State {
        case value
        case valueOrClosing
        case name
        case nameOrClosing
        case colon
        case commaOrClosing
        case insideString(isName: Bool)
        case done
    }

    private var state = State.value
    private var depth = 0
    /// One bit per level: set for an object.
    private var objects: UInt128 = 0

    var isDone: Bool { if case .done = state { true } else { false } }

    /// Continues at `position` until the value or the bytes end.
    ///
    /// - Returns: the offset of the first unconsumed byte: the end of the value, or the point at which more is needed.
    mutating func skip(_ bytes: RawSpan, from position: Int) throws(SchemaError) -> Int {
        var scanner = JSONScanner(bytes, from: position, maximumDepth: JSONScanner.highestDepth)
        var consumed = position
        do throws(SchemaError) {
            while !isDone {
                consumed = scanner.position
                try step(&scanner, &consumed)
            }
            return scanner.position
        } catch {
            if error.code == .unexpectedEnd { return consumed }
            throw error
        }
    }

    private mutating func step(_ scanner: inout JSONScanner, _ consumed: inout Int) throws(SchemaError) {
        if case .insideString(let isName) = state {
            if try scanner.restOfString(&consumed) { state = isName ? .colon : afterValue }
            return
        }
        let byte = try scanner.peek()
        consumed = scanner.position
        switch state {
        case .value, .valueOrClosing:
            if case .valueOrClosing = state, byte == ASCII.closeBracket { return close(&scanner) }
            try value(&scanner, byte)
        case .name, .nameOrClosing:
            if case .nameOrClosing = state, byte == ASCII.closeBrace { return close(&scanner) }
            guard byte == ASCII.quote else { throw scanner.malformed("the name of a member must be a string") }
            scanner.position += 1
            state = .insideString(isName: true)
        case .colon:
            try scanner.expect(ASCII.colon, "a colon must follow the name of a member")
            state = .value
        case .commaOrClosing:
            let isObject = objects & 1 == 1
            if byte == ASCII.comma {
                scanner.position += 1
                state = isObject ? .name : .value
            } else if byte == (isObject ? ASCII.closeBrace : ASCII.closeBracket) {
                close(&scanner)
            } else {
                throw scanner.malformed("a comma or the closing bracket must follow a member")
            }
        case .insideString, .done:
            break
        }
    }

    private mutating func value(_ scanner: inout JSONScanner, _ byte: UInt8) throws(SchemaError) {
        switch byte {
        case ASCII.openBrace, ASCII.openBracket:
            depth += 1
            try scanner.checkDepth(depth)
            objects = objects << 1 | (byte == ASCII.openBrace ? 1 : 0)
            scanner.position += 1
            state = byte == ASCII.openBrace ? .nameOrClosing : .valueOrClosing
        case ASCII.quote:
            scanner.position += 1
            state = .insideString(isName: false)
        default:
            if try !scanner.takeNotANumber() { _ = try scanner.value(depth: depth) }
            // A number at the end of the bytes may continue.
            if scanner.position == scanner.bytes.byteCount { throw scanner.endOfInput() }
            state = afterValue
        }
    }

    private mutating func close(_ scanner: inout JSONScanner) {
        scanner.position += 1
        depth -= 1
        objects >>= 1
        state = afterValue
    }

    private var afterValue: State { depth == 0 ? .done : .commaOrClosing }
}

extension JSONScanner {
    /// Consumes `NaN` or an infinity. They are no JSON, but may be why a value was rejected.
    ///
    /// - Returns: false if another value begins here.
    @_lifetime(self: copy self)
    mutating func takeNotANumber() throws(SchemaError) -> Bool {
        let isNegative = bytes.byte(at: position) == ASCII.minus
        let start = position + (isNegative ? 1 : 0)
        guard start < bytes.byteCount else { throw endOfInput() }
        switch bytes.byte(at: start) {
        case UInt8(ascii: "I"):
            position = start
            try literal("Infinity")
        case UInt8(ascii: "N") where !isNegative: try literal("NaN")
        default: return false
        }
        return true
    }

    /// Consumes the rest of a string, advancing `consumed`, but never into the middle of an escape or a character.
    ///
    /// - Returns: true after the closing quote.
    @_lifetime(self: copy self)
    mutating func restOfString(_ consumed: inout Int) throws(SchemaError) -> Bool {
        while true {
            position = bytes.endOfPlainText(from: position)
            consumed = position
            guard position < bytes.byteCount else { throw endOfInput() }
            let byte = bytes.byte(at: position)
            if byte == ASCII.quote {
                position += 1
                return true
            }
            position = try endOfSpecial(at: position)
        }
    }
}
