// SPDX-License-Identifier: Apache-2.0

#if SignIn
/// Listens at redirect URIs of either form.
struct SystemRedirectListener: RedirectListener {
    func listen(at redirectURI: String) async throws(AcquisitionError) -> any RedirectSession {
        redirectURI.isOfTheWeb
            ? try await LoopbackListener().listen(at: redirectURI)
            : try await CustomSchemeListener().listen(at: redirectURI)
    }
}
#endif
