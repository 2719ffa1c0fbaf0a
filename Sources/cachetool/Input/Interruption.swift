import Glibc
import Synchronization

/// Turns the first Ctrl-C into a question that a long job asks itself, so that it can give up cleanly. The second one
/// ends the program at once, which loses nothing either: what was not committed was not there.
enum Interruption {
    private static let wasAsked = Atomic<Bool>(false)

    /// From now on the first SIGINT or SIGTERM is only noted.
    static func begin() {
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            unsafe action.__sigaction_handler.sa_handler = { _ in
                Interruption.wasAsked.store(true, ordering: .relaxed)
            }
            _ = unsafe sigaction(number, &action, nil)
        }
    }

    /// Whether somebody wants the job to end.
    static var isWanted: Bool { wasAsked.load(ordering: .relaxed) }

    /// Ends the program the way an interrupted one ends, so that a shell script stops too.
    static func end() -> Never {
        _ = signal(SIGINT, SIG_DFL)
        _ = raise(SIGINT)
        exit(130)
    }
}
