// SPDX-License-Identifier: Apache-2.0

// SAFETY: all calls work on local values that live until they return.

import Glibc
import Synchronization

/// Turns the first Ctrl-C into a flag that a long operation polls, so that it can stop cleanly. The second one ends the
/// program at once, which loses nothing either, because uncommitted changes have no effect.
public enum Interruption {
    /// The signal that was received; 0 if none was.
    private static let signalNumber = Atomic<Int32>(0)

    /// Whether anything has asked for the signal since it arrived.
    private static let isNoticed = Atomic<Bool>(false)

    /// Whether the signal ends the program if nothing asks for it within a second.
    private static let isEndedUnnoticed = Atomic<Bool>(true)

    /// Which of SIGINT and SIGTERM the parent process ignores, as bits.
    private static let ignored = Atomic<UInt8>(0)

    /// The writing end of a pipe that a thread reads to notice the signal; -1 if there is none.
    private static let bell = Atomic<Int32>(-1)

    /// A descriptor of `/dev/null`, which replaces the inputs after the signal; -1 if they stay.
    private static let nothing = Atomic<Int32>(-1)

    /// The descriptors that are inputs, as bits: standard input, and those that were added.
    private static let inputs = Atomic<UInt64>(1)

    private static let hasBegun = Atomic<Bool>(false)

    /// Whether the first signal is recorded, so that it does not end the program.
    static var isRecording: Bool { hasBegun.load(ordering: .relaxed) }

    /// Treats a descriptor like standard input.
    public static func addInput(_ descriptor: Int32) {
        if (0..<64).contains(descriptor) { inputs.bitwiseOr(1 << UInt64(descriptor), ordering: .relaxed) }
    }

    /// From now on, records the first signal, and ends all inputs: otherwise a read would keep waiting for the user or for
    /// another program. If nothing asks for the signal within a second, it ends the program.
    public static func beginEndingInput() {
        nothing.store(unsafe open("/dev/null", O_RDONLY | O_CLOEXEC), ordering: .relaxed)
        begin(endUnlessNoticed)
    }

    /// From now on, until ``endPolling()``, records the first signal for an operation that polls ``isWanted``.
    ///
    /// - Parameter mayEndUnnoticed: whether the signal ends the program if nothing has polled within a second, because the
    ///   operation waits for another program. False for one that has to remove something before it ends.
    /// - Returns: whether this call began the recording.
    static func beginPolling(mayEndUnnoticed: Bool) -> Bool {
        if isRecording { return false }
        ignored.store((isIgnored(SIGINT) ? 1 : 0) | (isIgnored(SIGTERM) ? 2 : 0), ordering: .relaxed)
        isEndedUnnoticed.store(mayEndUnnoticed, ordering: .relaxed)
        if bell.load(ordering: .relaxed) < 0 { begin(endUnlessNoticed) } else { begin() }
        return true
    }

    /// From now on, signals have the effect again that they had before.
    static func endPolling() {
        hasBegun.store(false, ordering: .relaxed)
        let ignored = ignored.load(ordering: .relaxed)
        _ = signal(SIGINT, ignored & 1 != 0 ? SIG_IGN : SIG_DFL)
        _ = signal(SIGTERM, ignored & 2 != 0 ? SIG_IGN : SIG_DFL)
        if !isIgnored(SIGHUP) { _ = signal(SIGHUP, SIG_DFL) }
    }

    private static func endUnlessNoticed() {
        _ = sleep(1)
        if isEndedUnnoticed.load(ordering: .relaxed), !isNoticed.load(ordering: .relaxed) { end() }
    }

    /// From now on, records the first signal, and calls `action` on a separate thread.
    public static func begin(_ action: @escaping @Sendable () -> Void) { begin { _ in action() } }

    /// The same for an action that gets the other end of the bell.
    private static func begin(_ action: @escaping @Sendable (Int32) -> Void) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return begin() }
        bell.store(ends[1], ordering: .relaxed)
        let other = ends[0]
        BackgroundThread.start {
            _ = nextSignal(other, until: nil)
            action(other)
        }
        begin()
    }

    /// Waits for a signal, whose number the handler writes to the bell; nil if none came in time.
    private static func nextSignal(_ bell: Int32, until end: ContinuousClock.Instant?) -> Int32? {
        while true {
            let left = end.map { max(.zero, ContinuousClock.now.duration(to: $0)) / .milliseconds(1) }
            var (wanted, number) = (pollfd(fd: bell, events: Int16(POLLIN), revents: 0), UInt8(0))
            let count = unsafe poll(&wanted, 1, Int32(left ?? -1))
            if count == 0 { return nil }
            if count == 1, unsafe read(bell, &number, 1) == 1 { return Int32(number) }
        }
    }

    /// From now on, only records the first SIGINT, SIGTERM or SIGHUP.
    public static func begin() {
        hasBegun.store(true, ordering: .relaxed)
        for number in [SIGINT, SIGTERM] { record(number, onlyOnce: true) }
        // A terminal that is closed may send several.
        if !isIgnored(SIGHUP) { record(SIGHUP, onlyOnce: false) }
    }

    /// Records a signal; with `onlyOnce`, the second one ends the program.
    private static func record(_ number: Int32, onlyOnce: Bool) {
        // The parent process may have blocked it.
        unblock([number])
        var action = sigaction()
        if onlyOnce { action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) }
        unsafe action.__sigaction_handler.sa_handler = { number in
            Interruption.signalNumber.store(number, ordering: .relaxed)
            let nothing = Interruption.nothing.load(ordering: .relaxed)
            var inputs = nothing >= 0 ? Interruption.inputs.load(ordering: .relaxed) : 0
            while inputs != 0 {
                _ = dup2(nothing, Int32(inputs.trailingZeroBitCount))
                inputs &= inputs - 1
            }
            var byte = UInt8(truncatingIfNeeded: number)
            let bell = Interruption.bell.load(ordering: .relaxed)
            if bell >= 0 { _ = unsafe write(bell, &byte, 1) }
        }
        _ = unsafe sigaction(number, &action, nil)
    }

    /// Whether the parent process ignores a signal, as nohup does.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        _ = unsafe sigaction(number, nil, &action)
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// Whether the operation should stop.
    public static var isWanted: Bool {
        guard signalNumber.load(ordering: .relaxed) != 0 else { return false }
        isNoticed.store(true, ordering: .relaxed)
        return true
    }

    /// Ends the program as that signal would, so that a shell script stops too.
    public static func end() -> Never {
        let received = signalNumber.load(ordering: .relaxed)
        let number = received == 0 ? SIGINT : received
        EchoGuard.shared.restoreEcho()
        _ = signal(number, SIG_DFL)
        // Threads of Swift's pool block signals.
        unblock([number])
        _ = raise(number)
        exit(128 + number)
    }

    /// Unblocks signals for the calling thread.
    private static func unblock(_ numbers: [Int32]) {
        var wanted = sigset_t()
        unsafe sigemptyset(&wanted)
        for number in numbers { unsafe sigaddset(&wanted, number) }
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
    }
}

/// What must not be cut off: a response of a server that may contain the only copy of a token.
extension Interruption {
    private static let lossText = Atomic<UInt>(0)
    private static let lossByteCount = Atomic<Int>(0)
    private static let completion = Mutex<String?>(nil)
    private static let cleanup = Mutex<(@Sendable () -> Void)?>(nil)

    /// What was completed in spite of the signal, as a sentence; nil if nothing was.
    public static var completed: String? { completion.withLock { $0 } }

    /// Records what was completed in spite of the signal.
    public static func noteCompletion(_ sentence: String) { completion.withLock { $0 = sentence } }

    /// From now on, calls `action` before the program ends although an operation is not completed.
    public static func beforeGivingUp(_ action: @escaping @Sendable () -> Void) { cleanup.withLock { $0 = action } }

    /// From now on, also records SIGQUIT, and calls `action` on a separate thread at the first signal. After that, Ctrl-C,
    /// or ten seconds, end the program, which then says what may be lost.
    ///
    /// - Parameters:
    ///   - loss: a line to write when the program ends before the operation does.
    ///   - action: stops what can be stopped without a loss.
    public static func beginCompleting(losing loss: StaticString, _ action: @escaping @Sendable () -> Void) {
        // SAFETY: the text of a StaticString lives as long as the program.
        lossText.store(unsafe UInt(bitPattern: loss.utf8Start), ordering: .relaxed)
        lossByteCount.store(loss.utf8CodeUnitCount, ordering: .relaxed)
        begin { bell in
            action()
            let limit = ContinuousClock.now + .seconds(10)
            while let number = nextSignal(bell, until: limit), number != SIGINT {}
            // If the cleanup hangs, one more ends the program.
            _ = signal(SIGINT, SIG_DFL)
            writeLoss()
            cleanup.withLock { $0 }?()
            end()
        }
        // The command timeout sends two.
        for number in [SIGINT, SIGTERM] { record(number, onlyOnce: false) }
        if !isIgnored(SIGQUIT) { record(SIGQUIT, onlyOnce: false) }
    }

    private static func writeLoss() {
        let text = unsafe UnsafeRawPointer(bitPattern: lossText.load(ordering: .relaxed))
        if let text = unsafe text { _ = unsafe write(2, text, lossByteCount.load(ordering: .relaxed)) }
    }
}
