/// The number of a text within one partition's facts. Equal texts have one number there, so comparing is one compare.
struct Symbol: Hashable, Sendable {
    let index: UInt32

    /// No such field, or a blank one.
    static let none = Symbol(index: .max)
    /// A text that is asked for and that no row has: equal to the symbol of no row.
    static let absent = Symbol(index: .max - 1)

    var isNone: Bool { self == .none }
}
