internal import TokenCaching

/// Whether a long operation goes on.
public enum ProgressAnswer: Hashable, Sendable {
    /// Go on.
    case proceed
    /// Stop. The operation fails with a typed error and leaves everything as it was.
    case cancel
}
