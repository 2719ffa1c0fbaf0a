/// Differences that are known and not mended yet: each is named, and counted in the summary.
enum Exclusion: String {
    /// The note that somebody signed out of an account counts as something stored for it.
    case notesOfWipedAccount = "notes of a wiped account"

    static func covers(_ answer: TokenDecisionSummary, _ expected: ExpectedDecision) -> Exclusion? {
        if answer == .interaction("refreshTokenMissing"), expected == .interaction("accountUnknown") {
            return .notesOfWipedAccount
        }
        return nil
    }
}

extension Exclusion: CustomStringConvertible {
    var description: String { rawValue }
}
