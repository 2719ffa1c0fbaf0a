// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing
import UnifiedSchema

@Suite("Families of clients")
struct ClientFamilyTests {
    @Test(
        "share tokens of their own kind, and refresh tokens that name a family",
        arguments: [
            (.familyRefreshToken, false, true), (.familyRefreshToken, true, true), (.refreshToken, true, true),
            (.refreshToken, false, false), (.primaryRefreshToken, true, false), (.boundRefreshToken, true, false),
            (.accessToken, true, false), (.appMetadata, true, false), (.legacySingleResourceToken, true, false),
        ] as [(EntryKind, Bool, Bool)]
    )
    func tokens(kind: EntryKind, namesFamily: Bool, isShared: Bool) {
        #expect(ClientFamily.sharesToken(kind, namesFamily: namesFamily) == isShared)
        var fields = CredentialFields(kind: kind)
        fields.familyID = namesFamily ? "2" : nil
        #expect(fields.isFamilyToken == isShared)
        #expect(fields.sharingFamily == (isShared ? namesFamily ? "2" : "1" : nil))
    }

    @Test(
        "have the members whose app metadata names them; one that is not named is the first",
        arguments: [
            ("1", "1", true), ("2", "2", true), ("1", "2", false), ("", "1", true), ("", "2", false), ("1", "", false),
            ("", "", false),
        ]
    )
    func members(family: String, own: String, isMember: Bool) {
        let answer = ClientFamily.isMember(of: family.rawSpan, own: own.rawSpan)
        #expect(answer == isMember)
    }

    @Test(
        "are tried by clients of which nothing is known, if it is the first",
        arguments: [("1", true), ("", true), ("2", false)]
    )
    func unknown(family: String, isTried: Bool) {
        let answer = ClientFamily.isTriedByUnknown(family.rawSpan)
        #expect(answer == isTried)
    }
}
