// SPDX-License-Identifier: Apache-2.0

/// The page on which the user signs in.
public struct BrowserWindow: Sendable {
    let browser: any Browser
    let session: any RedirectSession
    let authorizationURL: String

    /// Opens the page again, for a user who closed it. Both windows lead to the same sign-in; a link of the first one
    /// that was not followed becomes invalid.
    ///
    /// To abandon the sign-in, cancel the task that requested it.
    ///
    /// - Throws: the browser's errors, such as ``AcquisitionError/Code/browserMissing``. The sign-in continues to wait.
    public func reopen() async throws(AcquisitionError) {
        try await browser.open(await url())
    }

    /// Creates a URL that opens the page once, for a user who has to open it by hand. It contains nothing of the request,
    /// and leads there only on this machine. It replaces the one that the browser was started with, if that was not
    /// followed.
    ///
    /// - Returns: the URL.
    public func url() async -> String { await session.startURL(for: authorizationURL) }
}

extension BrowserWindow: CustomStringConvertible, CustomReflectable {
    /// The name of the type.
    public var description: String { "BrowserWindow()" }

    /// No children, because the request may name the user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
