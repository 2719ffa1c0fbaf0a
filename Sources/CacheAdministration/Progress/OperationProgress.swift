internal import TokenCaching

/// How far a long operation has come.
public struct OperationProgress: Hashable, Sendable {
    /// What is being done.
    public enum Phase: String, Hashable, Sendable {
        /// Input is being read.
        case reading
        /// Records are being written.
        case writing
        /// Records are being checked.
        case verifying
        /// What was written is being made durable.
        case finishing
    }

    /// What is being done now.
    public let phase: Phase
    /// Bytes dealt with.
    public let completedBytes: UInt64
    /// All bytes, where that is known.
    public let totalBytes: UInt64?
    /// Entries dealt with.
    public let entryCount: Int

    package init(phase: Phase, completedBytes: UInt64, totalBytes: UInt64?, entryCount: Int) {
        self.phase = phase
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
        self.entryCount = entryCount
    }
}

/// Whether a long operation goes on.
public enum ProgressAnswer: Hashable, Sendable {
    /// Go on.
    case proceed
    /// Stop. The operation fails with a typed error and leaves everything as it was.
    case cancel
}

/// Hears about a long operation about ten times a second, on the thread that runs it, and decides whether it goes on.
///
/// Cancelling the surrounding task has the same effect as answering ``ProgressAnswer/cancel``.
public typealias ProgressHandler = (OperationProgress) -> ProgressAnswer
