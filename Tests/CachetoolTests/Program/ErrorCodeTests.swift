// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage
import Testing

extension ProgramTests {
    @Suite("Error codes", .serialized, .timeLimit(.minutes(10)))
    struct ErrorCodeTests {
        private static let codes = StorageError.Code.allCases.filter {
            if case .provoked = ProvokedError.occurrence(of: $0) { true } else { false }
        }

        @Test("the message of each names the cause and a way out, and that works", arguments: codes)
        func message(code: StorageError.Code) throws {
            guard case .provoked(let error) = ProvokedError.occurrence(of: code) else { return }
            if error.needsRoot, !Root.isHere { return }
            let group = try DoctoredGroup(keyring: error.keyring == .none ? nil : PrivateKeyring())
            try group.fill(nil, "--storage", error.keyring == .withGroup ? "keyring" : "file")
            try error.make(group)

            let refused = try error.run(group, error.command, false)
            #expect(refused.exitCode == error.exitCode, "\(refused.messages)")
            #expect(refused.messages.contains(error.cause), "\(refused.messages)")
            #expect(refused.messages.contains(error.advice), "\(refused.messages)")

            try group.follow(refused.messages.replacing(" FILE", with: " " + ScratchGroup.sample))
            try error.person(group)
            let done = try error.run(group, error.command, true)
            #expect(done.exitCode == 0, "after the advice was followed: \(done.messages)")
        }
    }
}
