// SPDX-License-Identifier: Apache-2.0

// SAFETY: the result of getenv is copied at once; no code of this package changes the environment.

internal import Glibc

/// The network settings in the environment of the process.
enum NetworkEnvironment {
    /// The relevant variables that are set.
    static var current: [String: String] {
        var found: [String: String] = [:]
        for name in ProxyRules.environmentVariables + ["SSL_CERT_FILE"] {
            if let value = unsafe getenv(name) { unsafe found[name] = String(cString: value) }
        }
        return found
    }
}
