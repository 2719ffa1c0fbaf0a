/// Numbers that look random and are the same in every run.
struct SeededGenerator {
    var state: UInt64

    mutating func next(_ bound: UInt64) -> UInt64 {
        state &+= 1
        return Sample.mix(state) % bound
    }
}
