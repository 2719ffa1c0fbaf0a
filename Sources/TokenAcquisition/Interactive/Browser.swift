// SPDX-License-Identifier: Apache-2.0

/// Shows web pages to the user.
public protocol Browser: Sendable {
    /// Opens a URL, and returns once it is known whether a browser started, without waiting for the user.
    ///
    /// The client is already listening for the response when it makes this call.
    ///
    /// - Parameter url: the result of ``RedirectSession/startURL(for:)``.
    /// - Throws: ``AcquisitionError/Code/browserMissing`` if there is no browser.
    func open(_ url: String) async throws(AcquisitionError)
}
