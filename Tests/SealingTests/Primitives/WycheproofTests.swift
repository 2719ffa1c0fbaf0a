import Foundation
import Sealing
import Testing

private let wycheproofPath = ProcessInfo.processInfo.environment["WYCHEPROOF_XCHACHA20_POLY1305"]

/// The vectors of the Wycheproof project, which are not part of this one. Get `xchacha20_poly1305_test.json` from
/// C2SP/wycheproof and name it in the environment variable `WYCHEPROOF_XCHACHA20_POLY1305` to run them.
@Suite("Wycheproof", .enabled(if: wycheproofPath != nil))
struct WycheproofTests {
    struct File: Decodable {
        struct Group: Decodable {
            let tests: [Vector]
        }

        struct Vector: Decodable {
            let tcId: Int
            let key: String
            let iv: String
            let aad: String
            let msg: String
            let ct: String
            let tag: String
            let result: String
        }

        let testGroups: [Group]
    }

    @Test("every vector opens exactly when it is valid")
    func vectors() throws {
        let path = try #require(wycheproofPath)
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: URL(filePath: path)))
        var count = 0
        for vector in file.testGroups.flatMap(\.tests) where vector.iv.count == 48 {
            count += 1
            let key = try SealingKey(secret([UInt8](hex: vector.key)))
            let box = [UInt8](hex: vector.iv + vector.ct + vector.tag)
            let opened = try? AEAD.openPublic(
                unsafe box.span.bytes,
                key: key,
                authenticating: unsafe [UInt8](hex: vector.aad).span.bytes
            )
            #expect(opened?.hex == (vector.result == "valid" ? vector.msg : nil), "vector \(vector.tcId)")
        }
        #expect(count > 300)
    }
}
