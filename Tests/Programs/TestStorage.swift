// SPDX-License-Identifier: Apache-2.0

/// A store that tests of several processes use, as group-worker and cachetool name it.
package enum TestStorage: String, CaseIterable, Sendable {
    case file, keyring

    /// What it needs beside the folder of a group: a daemon of its own, or nothing.
    package func makeKeyring() throws -> PrivateKeyring? {
        self == .keyring ? try PrivateKeyring() : nil
    }

    /// How much to test: what every keyring costs for each change sets how much can be tried.
    package func pick(file: Int, keyring: Int) -> Int {
        self == .file ? file : keyring
    }
}
