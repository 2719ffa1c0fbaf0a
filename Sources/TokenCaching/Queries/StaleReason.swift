// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// Why an answer is based on the last state that could be read, and not on the newest one.
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

    /// The reason that corresponds to an error; nil if the error must be thrown.
    init?(_ code: StorageError.Code) {
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

extension StorageError {
    /// Whether the store is only temporarily unreadable, so that it is worth trying again.
    var isStoreBusy: Bool { StaleReason(code) != nil }
}

extension StaleReason: CustomStringConvertible {
    /// The reason's name: stable across versions and suitable for programs.
    public var name: String { value.rawValue }

    /// The same as ``name``.
    public var description: String { name }
}
