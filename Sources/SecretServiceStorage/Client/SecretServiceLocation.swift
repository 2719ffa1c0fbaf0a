// SPDX-License-Identifier: Apache-2.0

// SAFETY: the result of getenv is copied at once; paths are C strings for the length of a call.

internal import Glibc

/// Identifies a keyring: its bus and its collection.
package struct SecretServiceLocation: Hashable, Sendable {
    /// The address of the session bus; `nil` to take it from the environment.
    package let busAddress: String?
    /// The name of the collection; `nil` for the default collection.
    package let collection: String?

    package init(busAddress: String? = nil, collection: String? = nil) {
        self.busAddress = busAddress
        self.collection = collection
    }
}

extension SecretServiceLocation {
    /// The address of the session bus from environment variables, or the user's default bus; `nil` if neither exists.
    /// Same as GLib's choice, except that it does not start a bus, which is not up to a library.
    package static func busAddress(in environment: [String: String]) -> String? {
        if let address = environment[addressVariable], !address.isEmpty { return address }
        guard let folder = environment[folderVariable], !folder.isEmpty else { return nil }
        let path = folder + "/bus"
        // Ignore a path with characters that an address would have to escape.
        guard unsafe access(path, F_OK) == 0,
            path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Array("%,;=*".utf8).contains($0) })
        else { return nil }
        return "unix:path=\(path)"
    }

    /// The variables that ``busAddress(in:)`` uses.
    package static let environmentVariables = [addressVariable, folderVariable]

    private static let addressVariable = "DBUS_SESSION_BUS_ADDRESS"
    private static let folderVariable = "XDG_RUNTIME_DIR"

    /// The address for this process.
    static var addressFromEnvironment: String? {
        var environment: [String: String] = [:]
        for name in environmentVariables {
            if let value = unsafe getenv(name) { unsafe environment[name] = String(cString: value) }
        }
        return busAddress(in: environment)
    }
}
