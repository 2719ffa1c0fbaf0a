/// Tells on standard error how far a long job is: nothing within the first second, then one line that changes on a
/// terminal, or a line every ten seconds elsewhere.
///
/// Calls may come from any thread, one at a time.
final class ProgressLine {
    private let title: String
    private let console: Console
    private let start = ContinuousClock().now
    private var last: ContinuousClock.Instant?
    private var isShown = false

    /// - Parameters:
    ///   - title: what is being done, such as "Importing".
    ///   - console: where to show it.
    init(_ title: String, on console: Console) {
        self.title = title
        self.console = console
    }

    /// Says how far it is. Cheap: most calls only read a clock.
    ///
    /// - Parameters:
    ///   - done: how many.
    ///   - total: of how many, where that is known.
    ///   - unit: of what, such as "entries".
    func update(_ done: Int, of total: Int? = nil, _ unit: String) {
        guard !console.isQuiet else { return }
        let now = ContinuousClock().now
        guard start.duration(to: now) >= .seconds(1) else { return }
        let isTerminal = console.errors.isTerminal
        if let last, last.duration(to: now) < (isTerminal ? .milliseconds(100) : .seconds(10)) { return }
        last = now
        let text = Self.text(title, done, total, unit)
        console.errors.write(isTerminal ? "\r" + DisplayWidth.truncated(text, to: 79) + "\u{1B}[K" : text + "\n")
        console.errors.flush()
        isShown = isTerminal
    }

    /// Takes the line away again.
    func finish() {
        guard isShown else { return }
        console.errors.write("\r\u{1B}[K")
        console.errors.flush()
        isShown = false
    }

    static func text(_ title: String, _ done: Int, _ total: Int?, _ unit: String) -> String {
        guard let total, total > 0 else { return "\(title): \(HumanNumber.count(done)) \(unit)" }
        let percent = min(100, done * 100 / total)
        return "\(title): \(percent) % (\(HumanNumber.count(done)) of \(HumanNumber.count(total)) \(unit))"
    }
}
