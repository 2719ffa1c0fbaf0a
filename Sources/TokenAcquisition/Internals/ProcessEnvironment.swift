// SPDX-License-Identifier: Apache-2.0

// SAFETY: the environment is copied at once; no code of this package changes it.

internal import Glibc

/// The environment of this process.
enum ProcessEnvironment {
    /// All variables.
    static var variables: [String: String] {
        var found: [String: String] = [:]
        var index = 0
        while let variable = unsafe environ[index] {
            let parts = unsafe String(cString: variable).split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            if parts.count == 2 { found[String(parts[0])] = String(parts[1]) }
            index += 1
        }
        return found
    }
}
