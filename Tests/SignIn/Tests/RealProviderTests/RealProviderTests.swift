// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TokenAcquisition
import TokenCaching

@Suite struct RealProviderTests {
    /// Scopes of the provider's API; it drops those that it does not know.
    private let scopes = ["profile", "email"]

    private func client(_ root: URL) async throws -> PublicClient {
        try await PublicClient.open(
            ClientConfiguration(
                clientID: RealProvider.clientID,
                authority: try .openIDConnect(issuer: RealProvider.issuer)
            ),
            group: "real",
            root: root.path,
            storage: .file(unlockedBy: .keyFile),
            services: Services(transport: RealProvider.transport)
        )
    }

    private func withRoot(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "real-provider-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "groups"))
    }

    private func signIn(_ client: PublicClient) async throws -> AuthenticationResult {
        try await client.acquireToken(DeviceCodeRequest(scopes: scopes)) { prompt in
            try await RealProvider.approve(prompt.userCode)
        }
    }

    private func renewed(_ client: PublicClient) async throws -> AuthenticationResult {
        let accounts = try await client.accounts()
        let account = try #require(accounts.first)
        var request = SilentRequest(scopes: scopes, account: account)
        request.forceRefresh = true
        return try await client.acquireTokenSilent(request)
    }

    @Test func `a sign-in with a device code is renewed silently, and its refresh token rotates`() async throws {
        try await withRoot { root in
            let client = try await client(root)
            let signedIn = try await signIn(client)
            #expect(signedIn.source == .deviceCode)
            #expect(try await RealProvider.user(of: signedIn)["email"] == "alice@example.com")
            let account = try #require(try await signedIn.account())
            let cached = try await client.acquireTokenSilent(SilentRequest(scopes: scopes, account: account))
            #expect(cached.source == .cache)
            #expect(try cached.accessToken.secretString == signedIn.accessToken.secretString)
            var secrets = [try signedIn.accessToken.secretString]
            for _ in 0..<3 {
                // Another client of the same group, as another process has it, redeems what the last one left.
                let result = try await renewed(try await self.client(root))
                #expect(result.source == .renewal)
                #expect(try await RealProvider.user(of: result)["name"] == "Alice Example")
                secrets.append(try result.accessToken.secretString)
            }
            #expect(Set(secrets).count == 4)
        }
    }

    @Test func `a refresh token that was used before ends the sign-in, and the user is needed`() async throws {
        try await withRoot { root in
            let current = try await client(root)
            _ = try await signIn(current)
            let copy = root.deletingLastPathComponent().appending(path: "copy")
            try FileManager.default.copyItem(at: root, to: copy)
            #expect(try await renewed(current).source == .renewal)
            // The copy has the refresh token that was spent since; the provider then ends the whole chain.
            for outdated in [try await client(copy), current] {
                await #expect { try await renewed(outdated) } throws: { error in
                    (error as? AcquisitionError)?.code == .interactionRequired
                }
            }
            #expect(try await signIn(current).source == .deviceCode)
            #expect(try await renewed(current).source == .renewal)
        }
    }

    @Test func `signing out works although this provider revokes nothing for a client without a secret`() async throws {
        try await withRoot { root in
            let client = try await client(root)
            let account = try #require(try await signIn(client).account())
            var request = SignOutRequest()
            request.revokesTokens = true
            let report = try await client.signOut(account, with: request)
            guard case .failed(let error) = report.revocation else {
                Issue.record("revocation: \(report.revocation)")
                return
            }
            #expect(error.errorResponse?.status == 401)
            #expect(try await client.accounts().isEmpty)
            await #expect {
                try await client.acquireTokenSilent(SilentRequest(scopes: scopes, account: account))
            } throws: {
                ($0 as? AcquisitionError)?.code == .interactionRequired
            }
        }
    }
}
