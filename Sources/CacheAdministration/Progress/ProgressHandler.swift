internal import TokenCaching

/// Hears about a long operation about ten times a second, on the thread that runs it, and decides whether it goes on.
///
/// Cancelling the surrounding task has the same effect as answering ``ProgressAnswer/cancel``.
public typealias ProgressHandler = (OperationProgress) -> ProgressAnswer
