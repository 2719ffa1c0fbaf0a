import CacheAdministration
import TokenCaching

/// Tells on standard error how far a long job is: nothing within the first second, then one line that changes on a
/// terminal, or a line every ten seconds elsewhere.
///
/// Used from the main thread only.
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
    ///   - part: how much of the whole, from 0 to 1; nil where the whole is not known.
    ///   - entries: how many so far.
    func update(part: Double?, entries: Int) {
        guard !console.isQuiet else { return }
        let now = ContinuousClock().now
        guard start.duration(to: now) >= .seconds(1) else { return }
        let isTerminal = console.errors.isTerminal
        if let last, last.duration(to: now) < (isTerminal ? .milliseconds(100) : .seconds(10)) { return }
        last = now
        let text = Self.text(title, part: part, entries: entries)
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

    static func text(_ title: String, part: Double?, entries: Int) -> String {
        let count = HumanNumber.count(entries, one: "entry", many: "entries")
        guard let part else { return "\(title): \(count)" }
        return "\(title): \(Int(min(1, max(0, part)) * 100)) %, \(count)"
    }
}

extension ProgressLine {
    /// What the library calls while it works: shows how far it is, and gives up cleanly after Ctrl-C.
    var handler: ProgressHandler {
        Interruption.begin()
        return { [self] progress in
            if Interruption.isWanted { return .cancel }
            let part = progress.totalBytes.map { $0 == 0 ? 0 : Double(progress.completedBytes) / Double($0) }
            update(part: part, entries: progress.entryCount)
            return .proceed
        }
    }
}
