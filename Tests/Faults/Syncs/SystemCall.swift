// SPDX-License-Identifier: Apache-2.0

/// One call to the system, as strace tells of it.
struct SystemCall {
    let name: String
    /// What stands between its parentheses.
    let arguments: String
    /// What it gave back; negative where it failed, and `nil` where it never came back.
    let result: Int?
    /// The lines on which it was begun and ended: another thread may have said something in between.
    let lines: ClosedRange<Int>

    /// The calls that a trace tells of, in the order in which they were begun.
    static func all(in trace: [String]) -> [SystemCall] {
        var calls: [SystemCall] = []
        var open: [Substring: (name: String, arguments: String, line: Int)] = [:]
        for (number, line) in trace.enumerated() {
            guard let space = line.firstIndex(of: " ") else { continue }
            let thread = line[..<space]
            let text = line[space...].drop { $0 == " " }
            if let match = text.wholeMatch(of: /<\.\.\. (\w+) resumed>(.*)\)\s+= (-?\d+|\?).*/) {
                guard let begun = open.removeValue(forKey: thread), begun.name == match.1 else { continue }
                let arguments = begun.arguments + match.2
                calls.append(.init(begun.name, arguments, Int(match.3), begun.line...number))
            } else if let match = text.wholeMatch(of: /(\w+)\((.*) ?<unfinished \.\.\.>/) {
                open[thread] = (String(match.1), String(match.2), number)
            } else if let match = text.wholeMatch(of: /(\w+)\((.*)\)\s+= (-?\d+|\?).*/) {
                calls.append(.init(String(match.1), String(match.2), Int(match.3), number...number))
            }
        }
        // A program that is killed or ends says nothing of what its threads were about to do.
        for (name, arguments, line) in open.values {
            calls.append(.init(name, arguments, nil, line...max(line, trace.count - 1)))
        }
        return calls.sorted { ($0.lines.lowerBound, $0.lines.upperBound) < ($1.lines.lowerBound, $1.lines.upperBound) }
    }

    private init(_ name: String, _ arguments: String, _ result: Int?, _ lines: ClosedRange<Int>) {
        self.name = name
        self.arguments = arguments
        self.result = result
        self.lines = lines
    }

    /// Whether it may have done something: it did not fail.
    var isDone: Bool { result.map { $0 >= 0 } ?? true }

    /// The numbers that stand for files and folders in it, `nil` for the current folder.
    var descriptors: [Int?] {
        arguments.split(separator: ",").compactMap { piece in
            let text = piece.split(separator: " ").first ?? ""
            if text.hasPrefix("AT_FDCWD") { return .some(nil) }
            return Int(text).map(Optional.some)
        }
    }

    /// The names in quotation marks.
    var names: [String] { arguments.matches(of: /"((?:[^"\\]|\\.)*)"/).map { String($0.1) } }
}
