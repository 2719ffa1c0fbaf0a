// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage
import Testing

/// An error that cachetool reports, how it comes about, and what its advice leads to.
struct ProvokedError: Sendable {
    /// What comes before the command, on a group with the sample in it.
    let make: @Sendable (DoctoredGroup) throws -> Void
    /// What fails, and works once the advice is followed.
    let command: [String]
    let exitCode: Int32
    /// A part of what is said: what happened, or why.
    let cause: String
    /// The part of what is said that is to be done.
    let advice: String
    /// The keyring of the session: none, one beside a group in a file, or one with the group in it.
    var keyring = Keyring.none
    var needsRoot = false
    /// Runs the command, before and after the advice is followed.
    var run: @Sendable (DoctoredGroup, [String], _ isAgain: Bool) throws -> FinishedProgram = { group, command, _ in
        try group.run(command)
    }
    /// What the person does where the advice names no command. The commands that it names have been run by then.
    var person: @Sendable (DoctoredGroup) throws -> Void = { _ in }

    enum Keyring: Sendable { case none, besideGroup, withGroup }

    enum Occurrence: Sendable {
        case provoked(ProvokedError)
        /// No command of cachetool can report it on its own.
        case notOfCachetool(reason: String)
    }
}

extension ProvokedError {
    /// The compiler asks for a case of each new code.
    static func occurrence(of code: StorageError.Code) -> Occurrence {
        switch code {
        case .busy, .timeout, .full, .indeterminate, .outOfMemory, .cancelled, .system: .provoked(ofTheMachine(code))
        case .notFound, .exists, .homeMissing, .invalidName, .tooLarge, .storageMismatch, .storageMoved,
            .invalidRequest, .malformedDocument:
            .provoked(ofTheCommandLine(code))
        case .unsafePermissions, .unsafeFile, .networkFileSystem, .readOnly, .damaged, .foreign, .unsupportedVersion:
            .provoked(ofFiles(code))
        case .keyRejected, .keyMissing, .keyFileInvalid, .unsupportedKDF, .passphraseSlotExists, .lastSlot,
            .tooManySlots, .slotNotFound:
            .provoked(ofKeys(code))
        case .keyringMissing, .keyringLocked, .promptDismissed, .promptPending, .keyringRefused, .keyringItemMissing,
            .groupElsewhere, .rollbackSuspected:
            .provoked(ofTheKeyring(code))
        case .tokenGone:
            .notOfCachetool(reason: "another process has to remove a token between two steps of one command")
        case .forkedProcess: .notOfCachetool(reason: "no command forks")
        case .closed: .notOfCachetool(reason: "each command closes what it opened last")
        case .severalAccounts: .notOfCachetool(reason: "see test_issuers.py")
        case .invalidResponse, .signedOut, .renewalBusy, .renewalFailed, .renewalUnavailable:
            .notOfCachetool(reason: "it is about the answer of a server: see Tests/Providers")
        }
    }
}

extension ProvokedError: CustomTestStringConvertible {
    var testDescription: String { "\(command.joined(separator: " ")): \(cause)" }
}
