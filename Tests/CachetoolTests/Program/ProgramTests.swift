// SPDX-License-Identifier: Apache-2.0

import Testing

/// Everything that starts the built program, one after the other: the machine is kept busy by one program at a time, and
/// no child inherits the ends of another one's pipes.
@Suite(.serialized)
struct ProgramTests {}
