// SPDX-License-Identifier: Apache-2.0

import Foundation

extension PrivateKeyring {
    private static let service = "gdbus call --session -d org.freedesktop.secrets -o /org/freedesktop/secrets"
    private static let hasOwner =
        "gdbus call --session -d org.freedesktop.DBus -o /org/freedesktop/DBus -m org.freedesktop.DBus.NameHasOwner"

    /// Stops the daemon where it is.
    package func freeze() throws { try run(#"kill -STOP "$(cat "$KEYRING_FOLDER/daemon.pid")""#) }

    /// Lets a stopped daemon go on.
    package func thaw() throws { try run(#"kill -CONT "$(cat "$KEYRING_FOLDER/daemon.pid")""#) }

    /// Ends the daemon without a chance to say anything, and waits until the bus has noticed.
    package func killDaemon() throws {
        try run(
            #"kill -KILL "$(cat "$KEYRING_FOLDER/daemon.pid")"; while "#
                + "\(Self.hasOwner) org.freedesktop.secrets | grep -q true; do sleep 0.02; done"
        )
    }

    /// Ends the bus without a word to anybody on it.
    package func killBus() throws {
        try run(
            "kill -KILL $(gdbus call --session -d org.freedesktop.DBus -o /org/freedesktop/DBus "
                + "-m org.freedesktop.DBus.GetConnectionUnixProcessID org.freedesktop.DBus | tr -dc '0-9 ' | "
                + "awk '{ print $NF }')"
        )
    }

    /// Starts another daemon on the same files. Without the password the default collection stays locked.
    package func startDaemon(unlocked: Bool = true) throws {
        let daemon = "gnome-keyring-daemon --foreground --components=secrets"
        let command = unlocked ? "printf %s \"$KEYRING_PASSWORD\" | \(daemon) --unlock" : daemon
        try run(
            #"\#(command) & echo $! >"$KEYRING_FOLDER/daemon.pid"; gdbus wait --session --timeout 20 "#
                + "org.freedesktop.secrets; sleep 0.1"
        )
    }

    /// Locks the default collection, as a session that is left does.
    package func lock() throws {
        try run(
            #"\#(Self.service) -m org.freedesktop.Secret.Service.Lock "['/org/freedesktop/secrets/collection/login']""#
        )
    }

    /// Puts a service in memory in the place of the daemon, with one quirk.
    package func startFake(_ quirk: String) throws {
        try killDaemon()
        let script = Self.project.appendingPathComponent(
            "Tests/SecretServiceStorageTests/Fake/fake_secret_service.py"
        ).path
        let log = folder.appendingPathComponent("fake.log").path
        try run(
            """
            /usr/bin/python3 '\(script)' \(quirk) '\(log)' & echo $! >"$KEYRING_FOLDER/daemon.pid"; \
            gdbus wait --session --timeout 30 org.freedesktop.secrets
            """
        )
    }
}
