// SPDX-License-Identifier: Apache-2.0

/// One thing that every store must do. Each is a test of its own:
///
/// ```swift
/// @Test("the store behaves as every store does", arguments: ConformanceCase.all)
/// func conforms(_ testCase: ConformanceCase) throws {
///     try testCase.run(MyGroup())
/// }
/// ```
package struct ConformanceCase: Sendable, Identifiable, CustomStringConvertible {
    /// A sentence that says what holds.
    package let id: String
    private let body: @Sendable (any ConformanceGroup) throws -> Void

    init(_ id: String, _ body: @escaping @Sendable (any ConformanceGroup) throws -> Void) {
        self.id = id
        self.body = body
    }

    package var description: String { id }

    /// Runs the case on a group that nobody used before. Throws what went wrong.
    package func run(_ group: any ConformanceGroup) throws {
        try body(group)
    }

    /// Every case, in the order of their topics.
    package static let all: [ConformanceCase] =
        visibility + changes + sequences + operations + removal + searching + readers + sizes + concurrency
        + deadlines + handles + sharing
}
