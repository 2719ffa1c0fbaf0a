/// Why an answer comes from the last state that could be read, and not from the newest one.
public struct StaleReason: Hashable, Sendable {
    private let value: Value

    private enum Value: String, Sendable {
        case busy
        case timeout
    }

    /// Another process held the group's lock.
    public static let busy = Self(value: .busy)

    /// The store did not answer in time.
    public static let timeout = Self(value: .timeout)

    /// The reason that an error stands for; nil where the error must be thrown.
    init?(_ code: TokenCacheError.Code) {
        switch code {
        case .busy: value = .busy
        case .timeout: value = .timeout
        default: return nil
        }
    }

    private init(value: Value) {
        self.value = value
    }
}

extension TokenCacheError {
    /// Whether nobody can look just now, so that it is worth trying again.
    var isStoreBusy: Bool { StaleReason(code) != nil }
}

extension StaleReason: CustomStringConvertible {
    /// The reason's name: stable across versions, fit for programs.
    public var description: String { value.rawValue }
}
