// SPDX-License-Identifier: Apache-2.0

import CTokenCache
import Foundation
import RecordStorage
import Testing
import TokenCaching

@testable import TokenCacheLibrary

@Suite("Numbers of the interface for C")
struct NumberTests {
    /// The lines of the header, by the number that they give.
    private static let names: [Int32: [Substring]] = {
        let header = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/CTokenCache/include/tokencache.h")
        let text = (try? String(contentsOf: header, encoding: .utf8)) ?? ""
        var names: [Int32: [Substring]] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, words[0].hasPrefix("TOKENCACHE_"), words[1] == "=",
                let number = Int32(words[2].filter(\.isNumber))
            else { continue }
            names[number, default: []].append(words[0])
        }
        return names
    }()

    /// `keyringItemMissing` as the header writes it.
    private func headerName(_ name: String) -> String {
        var result = "TOKENCACHE_"
        var before: Character = "A"
        for character in name {
            if character.isUppercase, before.isLowercase { result += "_" }
            result += character.uppercased()
            before = character
        }
        return result
    }

    @Test("every code of an error has its own number, with its name in the header")
    func errorCodes() {
        let numbers = StorageError.Code.allCases.map(\.number)
        #expect(Set(numbers).count == numbers.count && numbers.count > 40)
        for code in StorageError.Code.allCases {
            #expect(code.number > 0 && code.number < TOKENCACHE_INVALID_HANDLE)
            #expect(Self.names[code.number]?.contains(Substring(headerName(code.rawValue))) == true, "\(code)")
        }
    }

    @Test("every reason to sign in has its own number")
    func reasons() {
        let numbers = InteractionReason.Value.allCases.map(\.number)
        #expect(Set(numbers).count == numbers.count && numbers.count > 10 && !numbers.contains(0))
    }

    @Test(
        "an error is cut to the room of its caller, between two characters",
        arguments: [0, 24, 25, 26, 27, 60, 504, 9_999]
    )
    func errors(size: UInt32) {
        // Large enough for every size that is told here.
        let memory = UnsafeMutablePointer<tokencache_error>.allocate(capacity: 32)
        defer { unsafe memory.deallocate() }
        unsafe memset(memory, 0xAA, 32 * MemoryLayout<tokencache_error>.size)
        unsafe memory.pointee.struct_size = size
        let text = "ä\0" + String(repeating: "é", count: 400)
        unsafe CallFailure(203, text).write(to: memory)
        let bytes = unsafe UnsafeRawBufferPointer(start: memory, count: 10_000)
        let end = min(Int(size), MemoryLayout<tokencache_error>.size)
        #expect(unsafe bytes[max(end, 4)...].allSatisfy { $0 == 0xAA })
        guard size > 24 else { return }
        #expect(unsafe memory.pointee.code == 203)
        let message = unsafe Array(bytes[24..<end].prefix { $0 != 0 })
        let written = String(validating: message, as: UTF8.self)
        #expect(written == String(text.filter { $0 != "\0" }.prefix((end - 25) / 2)))
    }
}
