// SPDX-License-Identifier: Apache-2.0

import GroupRecords
import RecordStorage
import Sealing
import SystemPackage
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Errors name the event and the remedy")
struct TokenCacheErrorTests {
    @Test("every error of a store has a code of its own name", arguments: StorageError.Code.allCases)
    func storage(code: StorageError.Code) {
        let error = TokenCacheError(StorageError(code, path: "/p", detail: "found", errno: .noSpace))
        #expect(error.code.description == code.rawValue)
        #expect(error.path == "/p")
        #expect(error.systemErrorNumber == Errno.noSpace.rawValue)
        #expect(error.description.contains("found"))
        #expect(error.description.hasSuffix("."))
    }

    @Test("every error says what happened and what to do, in a sentence each", arguments: StorageError.Code.allCases)
    func twoSentences(code: StorageError.Code) {
        for advice in [nil, "Do this"] {
            let error = TokenCacheError(StorageError(code, detail: "found", advice: advice))
            #expect(error.description == "\(error.whatHappened) \(error.advice)")
            #expect(error.whatHappened.hasSuffix(" (found)."))
            #expect(advice == nil || error.advice == "Do this.")
            for sentence in [error.whatHappened, error.advice] {
                #expect(sentence.first?.isUppercase == true)
                #expect(sentence.hasSuffix(".") && !sentence.hasSuffix("..") && !sentence.contains(". "))
            }
        }
    }

    @Test("every error of sealing has a code", arguments: SealingError.Code.allCases)
    func sealing(code: SealingError.Code) {
        let error = TokenCacheError(StorageError(SealingError(code)))
        #expect(!error.description.isEmpty)
        switch code {
        case .keyRejected, .unsupportedKDF, .forkedProcess, .outOfMemory, .tooLarge, .unsupportedVersion, .tooManySlots,
            .passphraseSlotExists, .slotNotFound, .lastSlot:
            #expect(error.code.description == code.rawValue)
        case .authenticationFailed, .malformed: #expect(error.code == .damaged)
        case .invalidSecret: #expect(error.code == .keyFileInvalid)
        case .foreignKeys: #expect(error.code == .foreign)
        case .epochExhausted: #expect(error.code == .tooLarge)
        }
    }

    @Test("an error in a document reports its position", arguments: SchemaError.Code.allCases)
    func schema(code: SchemaError.Code) {
        let error = TokenCacheError(StorageError(document: SchemaError(code, at: 17, line: 3, rule: "a rule")))
        #expect(error.byteOffset == 17)
        #expect(error.description.contains("a rule"))
        #expect(error.description.contains("line 3"))
        #expect(error.description.contains("byte 17"))
    }

    @Test("unreadable bytes in a store are damage, unless a newer version wrote them")
    func stored() {
        #expect(StorageError(stored: SchemaError(.malformedFacts, at: 0, rule: "r")).code == .damaged)
        #expect(StorageError(stored: SchemaError(.unsupportedVersion, at: 0, rule: "r")).code == .unsupportedVersion)
    }
}
