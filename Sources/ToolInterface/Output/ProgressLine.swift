// SPDX-License-Identifier: Apache-2.0

public import CacheAdministration

/// Shows the progress of a long operation on standard error: nothing within the first second, then one line that
/// changes on a terminal, or otherwise a line every ten seconds.
///
/// Used from the main thread only.
public final class ProgressLine {
    private let title: String
    private let things: (one: String, many: String)
    private let console: Console
    private let start = ContinuousClock().now
    private var last: ContinuousClock.Instant?
    private var isShown = false
    private var recordsSignals = false

    /// - Parameters:
    ///   - title: the activity, such as "Importing".
    ///   - things: the names of the things to count.
    ///   - console: where to show it.
    public init(_ title: String, of things: (one: String, many: String) = ("entry", "entries"), on console: Console) {
        self.title = title
        self.things = things
        self.console = console
    }

    /// Updates the progress. Cheap: most calls only read a clock.
    ///
    /// - Parameters:
    ///   - part: the completed fraction, from 0 to 1; nil if the total is unknown.
    ///   - entries: the number of entries so far.
    public func update(part: Double?, entries: Int) {
        guard !console.isQuiet else { return }
        let now = ContinuousClock().now
        guard start.duration(to: now) >= .seconds(1) else { return }
        let isTerminal = console.errors.isTerminal
        if let last, last.duration(to: now) < (isTerminal ? .milliseconds(100) : .seconds(10)) { return }
        last = now
        let text = text(part: part, entries: entries)
        console.errors.write(isTerminal ? "\r" + text.prefix(79) + "\u{1B}[K" : text + "\n")
        console.errors.flush()
        isShown = isTerminal
    }

    /// The same for work on single entries, each of which takes less time than reading a clock.
    public func updateNowAndThen(entries: Int) {
        if entries.isMultiple(of: 1_024) { update(part: nil, entries: entries) }
    }

    /// Removes the line. Ctrl-C ends the program again, if it did before.
    public func finish() {
        if recordsSignals { Interruption.endPolling() }
        recordsSignals = false
        clear()
    }

    /// Removes the line, until the next update.
    public func clear() {
        guard isShown else { return }
        console.errors.write("\r\u{1B}[K")
        console.errors.flush()
        isShown = false
    }

    private func text(part: Double?, entries: Int) -> String {
        let count = HumanNumber.count(entries, one: things.one, many: things.many)
        guard let part else { return "\(title): \(count)" }
        let percentage = "\(title): \(Int(min(1, max(0, part)) * 100)) %"
        // Bytes are read before the entries in them are counted.
        return entries == 0 ? percentage : "\(percentage), \(count)"
    }
}

extension ProgressLine {
    /// The handler for the library: shows the progress, and stops cleanly after Ctrl-C, until ``finish()``.
    public var handler: ProgressHandler { handler(mayEndUnnoticed: true) }

    /// The same for an operation that writes a file, and removes what it wrote if it is stopped.
    public var handlerOfWriting: ProgressHandler { handler(mayEndUnnoticed: false) }

    private func handler(mayEndUnnoticed: Bool) -> ProgressHandler {
        recordsSignals = Interruption.beginPolling(mayEndUnnoticed: mayEndUnnoticed) || recordsSignals
        return { [self] progress in
            if Interruption.isWanted { return .cancel }
            return show(progress)
        }
    }

    /// The handler for an operation that changes nothing, and may wait for another program: Ctrl-C ends this one at once.
    public var handlerWithoutInterruption: ProgressHandler { { [self] in show($0) } }

    private func show(_ progress: OperationProgress) -> ProgressAnswer {
        let part = progress.totalBytes.map { $0 == 0 ? 0 : Double(progress.completedBytes) / Double($0) }
        update(part: part, entries: progress.entryCount)
        return .proceed
    }
}
