// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A root folder for groups that vanishes with the object.
package final class ScratchRoot: Sendable {
    /// The folder, mode 0700, without a slash at its end.
    package let path: String

    package init() throws {
        path = "/tmp/token-cache-test." + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        // Tests take rights away; give them back, or nothing can be removed.
        _ = try? Program(path: "/bin/chmod").run(["-R", "u+rwX", path])
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Kind, mode, owner and content of everything below the folder, so that a test can tell that nothing was touched.
    package func fingerprint() throws -> String {
        let script = """
            cd "$1" && find . -printf '%p %y %m %U %l\\n' | sort && find . -type f -print0 | sort -z | xargs -0 -r sha256sum
            """
        return try Program(path: "/bin/sh").run(["-c", script, "sh", path]).text
    }
}
