// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import SecretServiceStorage
public import TokenCaching

/// The result of asking a keyring to unlock the collection of a group.
public struct KeyringUnlockReport: Hashable, Sendable {
    /// The programs that provide keyrings.
    @nonexhaustive
    public enum Program: String, Hashable, Sendable {
        /// GNOME Keyring.
        case gnomeKeyring = "gnome-keyring"
        /// KeePassXC.
        case keePassXC = "keepassxc"
        /// KWallet.
        case kWallet = "kwallet"
        /// Another program.
        case other
    }

    /// The program that provides the keyring.
    public let program: Program
    /// The name of the collection, such as `login`.
    public let collection: String
    /// Whether it was locked before.
    public let wasLocked: Bool
    /// Why it stays locked: `keyringLocked` if the keyring could not prompt the user, `promptDismissed` or
    /// `promptPending`. `nil` if it is unlocked.
    public let error: TokenCacheError?
}

extension GroupReference {
    /// Asks the keyring to unlock the collection of a group, if it is locked. The group need not exist. Few keyrings
    /// unlock a collection without a prompt: set ``GroupReference/prompts`` to `.allowed()`, because by default there is
    /// none. The storage and the ways to unlock are ignored.
    ///
    /// - Parameter collection: the collection to unlock instead of the group's; if neither is named, the default
    ///   collection.
    /// - Returns: the program, the collection, and whether it is unlocked now.
    /// - Throws: `keyringMissing`, `timeout` and other codes if the keyring cannot be queried; `keyringLocked` if
    ///   KeePassXC shows no collection because no database is open; `invalidName`.
    public func unlockKeyring(collection: String? = nil) throws(TokenCacheError) -> KeyringUnlockReport {
        let opener = try opener(.readOnly)
        let state = (try? opener.location.openDirectory(.readOnly).readState()) ?? nil
        let wanted = collection ?? state?.collection
        return try translating(try Self.unlock(wanted, by: opener.keyringAccess, timeout: timeout))
    }

    private static func unlock(
        _ collection: String?,
        by access: KeyringAccess,
        timeout: Duration
    ) throws(StorageError) -> KeyringUnlockReport {
        let client = SecretServiceClient(try access.location(collection))
        defer { client.close() }
        do throws(SecretServiceError) {
            // A bus or a keyring that does not answer at all prompts nobody, so there is nobody to wait for.
            do throws(SecretServiceError) {
                _ = try client.probe(until: .after(timeout), prompts: .never)
            } catch {
                if error.code == .timedOut { throw error }
            }
            let answer = try client.unlock(until: access.end(.after(timeout)), prompts: access.policy)
            return KeyringUnlockReport(
                program: KeyringUnlockReport.Program(answer.keyring.kind),
                collection: answer.keyring.collection,
                wasLocked: answer.wasLocked,
                error: answer.refusal.map { TokenCacheError(StorageError($0)) }
            )
        } catch {
            throw StorageError(error)
        }
    }
}

extension KeyringUnlockReport.Program {
    fileprivate init(_ kind: KeyringKind) {
        self =
            switch kind {
            case .gnomeKeyring: .gnomeKeyring
            case .keePassXC: .keePassXC
            case .kWallet: .kWallet
            case .unknown: .other
            }
    }
}
