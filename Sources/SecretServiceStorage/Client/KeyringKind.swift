// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory

/// The program that offers the Secret Service. These programs differ in when they prompt the user and when they write
/// to disk.
package enum KeyringKind: String, Hashable, Sendable {
    case gnomeKeyring = "gnome-keyring"
    case keePassXC = "KeePassXC"
    case kWallet = "KWallet"
    case unknown = "another keyring"
}

extension KeyringKind {
    /// The program behind a unique bus name, recognised by its process name or, where that is unavailable, as in a
    /// sandbox, by its other bus names.
    static func of(_ owner: String, on connection: BusConnection, _ limits: CallLimits) throws(BusError) -> KeyringKind
    {
        func ask(_ method: BusMethod, name: String, answer: String) throws(BusError) -> BusValue {
            try connection.call(
                method,
                at: BusName.busPath,
                of: BusName.bus,
                arguments: [.string(name)],
                answer: answer,
                limits: limits
            )[0]
        }
        if let process = try? ask(.getConnectionProcess, name: owner, answer: "(u)").number,
            let name = programName(of: process)
        {
            for (beginning, kind) in programs where name.hasPrefix(beginning) { return kind }
        }
        for (name, kind) in busNames {
            do throws(BusError) {
                if try ask(.getNameOwner, name: name, answer: "(s)").text == owner { return kind }
            } catch {
                // No program owns that bus name.
                guard case .remote = error else { throw error }
            }
        }
        return .unknown
    }

    /// The beginnings of process names, of which the kernel keeps only the first fifteen bytes.
    private static let programs: [(beginning: String, kind: KeyringKind)] = [
        ("gnome-keyring", .gnomeKeyring), ("keepassxc", .keePassXC), ("kwalletd", .kWallet), ("ksecretd", .kWallet),
    ]

    private static let busNames: [(name: String, kind: KeyringKind)] = [
        ("org.gnome.keyring", .gnomeKeyring), ("org.kde.kwalletd6", .kWallet), ("org.kde.kwalletd5", .kWallet),
        ("org.keepassxc.KeePassXC.MainWindow", .keePassXC),
    ]

    private static func programName(of process: UInt64) -> String? {
        Syscalls.smallSystemFile("/proc/\(process)/comm", limit: 64).map { String(decoding: $0, as: UTF8.self) }
    }
}
