/// What keeps an entry apart from plain ones, as symbols of its partition's facts.
struct Isolation: Hashable, Sendable {
    /// The claims as an SDK wrote them down, or their hash where it wrote nothing else.
    var claims = Symbol.none
    var extendedKey = Symbol.none
    var application = Symbol.none
    var assertion = Symbol.none
}
