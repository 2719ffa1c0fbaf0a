// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// What a service writes goes to a journal that others read, so a token may least of all be there.
@Suite("Standard output and standard error of an application")
struct StandardStreamTests {
    @Test("the library writes nothing to standard output or standard error, whatever is called")
    func silence() async throws {
        let result = try #require(
            await #expect(
                processExitsWith: .success,
                observing: [\.standardOutputContent, \.standardErrorContent]
            ) {
                let handles = try GroupHandles(GroupFixture())
                let secrets = try [handles.accessToken.secretString, handles.refreshToken.secretString]
                try #require(secrets == ["at", "rt"])
                for call in HandleCall.all { try? call.run(handles) }
            }
        )
        #expect(String(decoding: result.standardOutputContent, as: UTF8.self) == "")
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self) == "")
    }
}
