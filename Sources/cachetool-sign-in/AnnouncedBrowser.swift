// SPDX-License-Identifier: Apache-2.0

import TokenAcquisition
import ToolInterface

/// The browser, for a sign-out that waits until the user returns from it: says so.
struct AnnouncedBrowser: Browser {
    let browser: any Browser
    let timeout: Duration
    let isQuiet: Bool

    func open(_ url: String) async throws(AcquisitionError) {
        try await browser.open(url)
        Console(isQuiet: isQuiet).remark(
            "The browser was opened, to end the session there: this waits up to \(timeout.components.seconds) seconds. "
                + "Press Ctrl-C to stop waiting."
        )
    }
}
