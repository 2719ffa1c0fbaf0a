// SAFETY: the result of getenv is copied at once; paths are C strings for the length of a call.

internal import Glibc

/// Where a keyring is: which bus, which collection.
package struct SecretServiceLocation: Hashable, Sendable {
    /// The address of the session bus; `nil` for the one that the environment names.
    package let busAddress: String?
    /// The name of the collection, or `nil` for the default one.
    package let collection: String?

    package init(busAddress: String? = nil, collection: String? = nil) {
        self.busAddress = busAddress
        self.collection = collection
    }
}

extension SecretServiceLocation {
    /// The address of the session bus that variables of a process name, or that the system keeps for the user; `nil` where
    /// there is none. What GLib would take, but for starting a bus: that is not for a library to do.
    package static func busAddress(in environment: [String: String]) -> String? {
        if let address = environment[addressVariable], !address.isEmpty { return address }
        guard let folder = environment[folderVariable], !folder.isEmpty else { return nil }
        let path = folder + "/bus"
        // An address is text with escapes, and this is no place to write them.
        guard unsafe access(path, F_OK) == 0,
            path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Array("%,;=*".utf8).contains($0) })
        else { return nil }
        return "unix:path=\(path)"
    }

    /// The variables that ``busAddress(in:)`` looks at.
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
