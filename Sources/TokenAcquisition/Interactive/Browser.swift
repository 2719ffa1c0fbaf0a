// SPDX-License-Identifier: Apache-2.0

/// Shows web pages to the user.
public protocol Browser: Sendable {
    /// Opens a URL, and returns at once.
    ///
    /// - Parameter url: what ``RedirectSession/startURL(for:)`` returned.
    /// - Throws: ``AcquisitionError/Code/browserMissing`` if there is none.
    func open(_ url: String) async throws(AcquisitionError)
}
