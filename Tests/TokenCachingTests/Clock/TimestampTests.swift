import Testing
import TokenCaching

@Suite("Moments")
struct TimestampTests {
    @Test(
        "are moved by seconds, and stop at the ends of what can be told",
        arguments: [
            (0, 5, 5), (5, -10, -5), (.max, 1, .max), (.min, -1, .min), (.max - 1, 1, .max), (.max, .min, -1),
        ] as [(Int64, Int64, Int64)]
    )
    func advanced(from: Int64, by seconds: Int64, to: Int64) {
        #expect(Timestamp(secondsSince1970: from).advanced(bySeconds: seconds) == Timestamp(secondsSince1970: to))
    }

    @Test("are as far from each other as their seconds", arguments: [(0, 5, 5), (5, 0, -5)] as [(Int64, Int64, Int64)])
    func distance(from: Int64, to: Int64, seconds: Int64) {
        #expect(Timestamp(secondsSince1970: from).seconds(to: Timestamp(secondsSince1970: to)) == seconds)
    }
}
