// SPDX-License-Identifier: Apache-2.0

import Testing

/// A state that a group or its surroundings get into, what doctor says of it, and what that leads to.
struct BrokenState: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let topic: String
    /// A note does not make the exit status 1.
    var level = "problem"
    /// A part of the description.
    let cause: String
    /// A part of the advice.
    let fix: String
    /// Whether doctor says since when.
    var hasSince = false
    /// The number of times that doctor has to be asked, because one thing hides the next.
    var rounds = 1
    /// Whether root is needed to set the scene.
    var needsRoot = false
    let make: @Sendable (DoctoredGroup) throws -> Void
    /// What the person does whom the advice tells to do something that is no command.
    var person: (@Sendable (DoctoredGroup, String) throws -> Void)?
}
