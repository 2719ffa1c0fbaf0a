// SPDX-License-Identifier: Apache-2.0

// SAFETY: the error was made by GLib and belongs to the caller, who passes it here to be freed once; its texts are
// copied before.

internal import CSecretService

/// The error of a D-Bus call.
enum BusError: Error {
    /// The service answered with a D-Bus error of this name.
    case remote(String)
    case cancelled
    case timedOut
    /// The bus reports that the service did not answer, because it ended or was too slow.
    case unanswered
    case disconnected
    case other

    /// Converts a GLib error.
    @unsafe init(consuming error: UnsafeMutablePointer<OpaquePointer?>) {
        guard let pointer = unsafe error.pointee else {
            self = .other
            return
        }
        defer { unsafe secret_error_free(pointer) }
        switch unsafe secret_error_kind(pointer) {
        case SecretErrorRemote:
            guard let name = unsafe secret_error_remote_name(pointer) else {
                self = .other
                return
            }
            // A timeout does not tell whether the service acted.
            let text = unsafe String(cString: name)
            self = Self.timeouts.contains(text) ? .timedOut : .remote(text)
            unsafe secret_free(name)
        case SecretErrorCancelled: self = .cancelled
        case SecretErrorTimedOut: self = .timedOut
        case SecretErrorUnanswered: self = .unanswered
        case SecretErrorDisconnected: self = .disconnected
        default: self = .other
        }
    }
}

extension BusError {
    private static let timeouts: Set<String> = [
        "org.freedesktop.DBus.Error.Timeout", "org.freedesktop.DBus.Error.TimedOut",
    ]
}

extension SecretServiceError {
    /// The error of a call that makes no changes, or was refused before making any.
    init(bus error: BusError) {
        switch error {
        case .cancelled, .timedOut: self.init(.timedOut)
        case .disconnected: self.init(.serviceLost)
        case .unanswered: self.init(.serviceLost, detail: Self.unanswered)
        case .other: self.init(.protocolViolated)
        case .remote(let name): self.init(Self.code(of: name), detail: name)
        }
    }

    /// The error of a call that requested a change.
    init(ofChange error: BusError) {
        switch error {
        case .remote: self.init(bus: error)
        // The service may have made the change.
        case .cancelled, .timedOut, .unanswered, .disconnected, .other: self.init(.indeterminate)
        }
    }

    /// The detail of an error in which the bus reports that a running service does not answer.
    static let unanswered = "org.freedesktop.DBus.Error.NoReply"

    private static func code(of name: String) -> Code {
        switch name {
        case "org.freedesktop.Secret.Error.IsLocked": .locked
        // A missing session means that the service was restarted, because a session belongs to one run of it.
        case "org.freedesktop.Secret.Error.NoSession", "org.freedesktop.DBus.Error.ServiceUnknown",
            "org.freedesktop.DBus.Error.NameHasNoOwner":
            .serviceLost
        case "org.freedesktop.Secret.Error.NoSuchObject", "org.freedesktop.DBus.Error.UnknownObject",
            "org.freedesktop.DBus.Error.UnknownMethod":
            .itemMissing
        default: .refused
        }
    }
}
