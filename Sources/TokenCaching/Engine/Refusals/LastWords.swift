/// What servers said of refresh tokens that nobody can spend any more: for the threads of this process that wait for one while
/// another spends it. They find it gone, and no note says why.
struct LastWords: Sendable {
    /// By the numbers of the tokens' leases, the oldest first.
    private var words: [(number: UInt64, response: TokenErrorResponse)] = []
    /// Beyond this many the oldest goes: whoever waits asks at once.
    static let limit = 64

    subscript(number: UInt64) -> TokenErrorResponse? { words.last { $0.number == number }?.response }

    mutating func keep(_ response: TokenErrorResponse, of number: UInt64) {
        words.removeAll { $0.number == number }
        words.append((number, response))
        if words.count > Self.limit { words.removeFirst() }
    }
}
