// SPDX-License-Identifier: Apache-2.0

/// A decision of another sort than the test wants.
struct Unexpected: Error {}
