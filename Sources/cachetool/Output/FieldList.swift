// SPDX-License-Identifier: Apache-2.0

import ToolInterface

/// The names and values of an object, one pair per line, aligned.
///
/// Values come from caches. They are escaped here (``VisibleText``), so that callers cannot forget to do so.
struct FieldList {
    private var fields: [(name: String, value: String, style: Style)] = []

    /// Adds a field; does nothing without a value.
    mutating func add(_ name: String, _ value: String?, style: Style = .plain) {
        guard let value else { return }
        fields.append((VisibleText.escaped(name), VisibleText.escaped(value), style))
    }

    /// Adds the fields of another list.
    mutating func add(_ other: FieldList) {
        fields += other.fields
    }

    /// The lines of the list. Values are wrapped, never truncated: a user who inspects one object wants to see all of
    /// it.
    func lines(indent: Int = 0, width terminal: Int? = nil, isColoured: Bool) -> [String] {
        let width = fields.reduce(0) { max($0, DisplayWidth.of($1.name)) }
        return fields.map { field in
            String(repeating: " ", count: indent) + Style.dim.applied(to: field.name, isOn: isColoured)
                + String(repeating: " ", count: width - DisplayWidth.of(field.name) + 2)
                + field.style.applied(
                    to: WrappedText.text(field.value, width: terminal, indent: indent + width + 2),
                    isOn: isColoured
                )
        }
    }

    /// Prints the list to standard output.
    func write(to console: Console, indent: Int = 0) {
        for line in lines(indent: indent, width: console.columns, isColoured: console.isColoured) {
            console.write(line: line)
        }
    }
}
