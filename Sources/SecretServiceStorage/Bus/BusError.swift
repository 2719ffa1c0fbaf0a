// SPDX-License-Identifier: Apache-2.0

// SAFETY: the error was made by GLib and belongs to the caller, who passes it here to be freed once; its texts are
// copied before.

internal import CSecretService

/// The error of a D-Bus call.
enum BusError: Error {
    /// The service answered with the error of this D-Bus name.
    case remote(String)
    case cancelled
    case timedOut
    /// The bus reports that the service did not answer: it ended, or was too slow for the bus.
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
            // A cancelled wait says nothing about what the service did.
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
    /// The error of a call that changes nothing, or was refused before changing anything.
    init(bus error: BusError) {
        switch error {
        case .cancelled, .timedOut: self.init(.timedOut)
        case .disconnected: self.init(.serviceLost)
        case .unanswered: self.init(.serviceLost, detail: Self.unanswered)
        case .other: self.init(.protocolViolated)
        case .remote(let name): self.init(Self.code(of: name), detail: name)
        }
    }

    /// The error of a call that was meant to change something.
    init(ofChange error: BusError) {
        switch error {
        case .remote: self.init(bus: error)
        // The change may have been made.
        case .cancelled, .timedOut, .unanswered, .disconnected, .other: self.init(.indeterminate)
        }
    }

    /// The detail if the bus reports that a running service does not answer.
    static let unanswered = "org.freedesktop.DBus.Error.NoReply"

    private static func code(of name: String) -> Code {
        switch name {
        case "org.freedesktop.Secret.Error.IsLocked": .locked
        // A session belongs to one run of the service.
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
