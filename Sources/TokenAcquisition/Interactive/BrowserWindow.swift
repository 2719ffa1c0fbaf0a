// SPDX-License-Identifier: Apache-2.0

/// The page on which the user signs in.
public struct BrowserWindow: Sendable {
    let browser: any Browser
    let session: any RedirectSession
    let request: BrowserRequest

    /// Opens the page again, for a user who closed it. Both windows lead to the same sign-in; a link of the first one
    /// that was not followed becomes invalid.
    ///
    /// To abandon the sign-in, cancel the task that requested it.
    ///
    /// - Throws: the browser's errors, such as ``AcquisitionError/Code/browserMissing``. The sign-in continues to wait.
    public func reopen() async throws(AcquisitionError) {
        try await browser.open(await request.startURL(of: session))
    }
}

extension BrowserWindow: CustomStringConvertible, CustomReflectable {
    /// The name of the type.
    public var description: String { "BrowserWindow()" }

    /// No children, because the request may name the user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
