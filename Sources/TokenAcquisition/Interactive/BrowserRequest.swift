// SPDX-License-Identifier: Apache-2.0

/// A request that the browser sends to one of the server's pages.
struct BrowserRequest: Sendable {
    let address: String
    /// Its parameters, encoded as `application/x-www-form-urlencoded`.
    let parameters: String
    /// Whether to post the parameters: they name the user, and browsers keep URLs in their history.
    let isPosted: Bool

    /// The request as a URL.
    var url: String { address + (address.contains("?") ? "&" : "?") + parameters }

    /// The URL to open so that the browser sends the request.
    func startURL(of session: any RedirectSession) async -> String {
        if isPosted, let url = await session.startURL(posting: Array(parameters.utf8), to: address) { return url }
        return await session.startURL(for: url)
    }
}
