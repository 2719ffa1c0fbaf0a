// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

/// The progress of a long operation.
public struct OperationProgress: Hashable, Sendable {
    /// The current activity.
    @nonexhaustive
    public enum Phase: String, Hashable, Sendable {
        /// Input is being read.
        case reading
        /// Records are being written.
        case writing
        /// Records are being checked.
        case verifying
        /// Written data is being made durable.
        case finishing
    }

    /// The current phase.
    public let phase: Phase
    /// The number of bytes processed.
    public let completedBytes: UInt64
    /// The total number of bytes, if it is known.
    public let totalBytes: UInt64?
    /// The number of entries processed.
    public let entryCount: Int

    /// Creates a report of progress, as the library does: for tests of a handler.
    public init(phase: Phase, completedBytes: UInt64 = 0, totalBytes: UInt64? = nil, entryCount: Int = 0) {
        self.phase = phase
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
        self.entryCount = entryCount
    }
}

/// Whether to continue a long operation.
public enum ProgressAnswer: Hashable, Sendable {
    /// Continue.
    case proceed
    /// Stop. The operation throws an error and leaves everything unchanged.
    case cancel
}

/// Decides whether a long operation continues. Called about ten times a second, on the thread that runs the operation.
///
/// Cancelling the surrounding task has the same effect as answering ``ProgressAnswer/cancel``.
public typealias ProgressHandler = (OperationProgress) -> ProgressAnswer
