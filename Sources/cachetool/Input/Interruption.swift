import Glibc
import Synchronization

/// Turns the first Ctrl-C into a question that a long job asks itself, so that it can give up cleanly. The second one
/// ends the program at once, which loses nothing either: what was not committed was not there.
enum Interruption {
    /// The signal that asked; 0 until one did.
    private static let signalNumber = Atomic<Int32>(0)

    /// From now on the first SIGINT or SIGTERM is only noted.
    static func begin() {
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            unsafe action.__sigaction_handler.sa_handler = { number in
                Interruption.signalNumber.store(number, ordering: .relaxed)
            }
            _ = unsafe sigaction(number, &action, nil)
        }
    }

    /// Whether somebody wants the job to end.
    static var isWanted: Bool { signalNumber.load(ordering: .relaxed) != 0 }

    /// Ends the program the way that signal ends one, so that a shell script stops too.
    static func end() -> Never {
        let number = isWanted ? signalNumber.load(ordering: .relaxed) : SIGINT
        _ = signal(number, SIG_DFL)
        _ = raise(number)
        exit(128 + number)
    }
}
