// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs

/// Sets a scene with a line of shell. The arguments are `$1`, `$2` and so on.
func shell(_ script: String, _ arguments: String...) throws {
    let done = try Program(path: "/bin/sh").run(["-euc", script, "sh"] + arguments)
    guard done.exitCode == 0 else { throw Unfit(reason: "the scene was not set: \(done.messages)") }
}
