/// A decision of another sort than the test wants.
struct Unexpected: Error {}
