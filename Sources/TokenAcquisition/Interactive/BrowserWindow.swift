// SPDX-License-Identifier: Apache-2.0

/// The page that a sign-in waits for.
public struct BrowserWindow: Sendable {
    let browser: any Browser
    let session: any RedirectSession
    let request: BrowserRequest

    /// Opens the page again: for a user who closed it. Both lead to the same sign-in; a link of the first that was not
    /// followed leads nowhere any more.
    ///
    /// To give the sign-in up, cancel the task that requested it.
    ///
    /// - Throws: what the browser throws, such as ``AcquisitionError/Code/browserMissing``. The sign-in waits on.
    public func reopen() async throws(AcquisitionError) {
        try await browser.open(await request.startURL(of: session))
    }
}

extension BrowserWindow: CustomStringConvertible, CustomReflectable {
    /// The name of the type.
    public var description: String { "BrowserWindow()" }

    /// No children: the request may name the user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
