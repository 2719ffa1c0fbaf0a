// SPDX-License-Identifier: Apache-2.0

/// The style of text on a terminal. No style is applied to other output, or if `NO_COLOR` is set.
public enum Style {
    case plain, bold, dim, good, warning, bad

    /// `text` in this style, or unchanged if `isOn` is false.
    public func applied(to text: String, isOn: Bool) -> String {
        guard isOn, !text.isEmpty, let code else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }

    private var code: String? {
        switch self {
        case .plain: nil
        case .bold: "1"
        case .dim: "2"
        case .good: "32"
        case .warning: "33"
        case .bad: "31"
        }
    }
}
