// SPDX-License-Identifier: Apache-2.0

/// What a store did that it must not do.
package struct ConformanceFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ text: String, _ file: StaticString, _ line: UInt) {
        description = "\(text) (\(file):\(line))"
    }
}
