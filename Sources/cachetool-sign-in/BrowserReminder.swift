// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TokenAcquisition
import ToolInterface

/// Says what to do while a sign-in waits for the browser.
final class BrowserReminder: Sendable {
    private let window = Mutex<BrowserWindow?>(nil)
    private let isQuiet: Bool

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
    }

    /// The services, with the event that nothing came from the browser for a while.
    func added(to services: Services) -> Services {
        var services = services
        let others = services.onEvent
        services.onEvent = { event in
            others?(event)
            guard !self.isQuiet, event.kind == .awaitingBrowser, let window = self.window.withLock({ $0 }) else {
                return
            }
            Task {
                self.remark(
                    "Nothing came back from the browser yet. If no page opened, open \(await window.url()) on this machine. "
                        + "If the page refuses the redirect URI, name the registered one with --redirect-uri. For a browser "
                        + "on another device, use --device-code."
                )
            }
        }
        return services
    }

    func noteOpened(_ window: BrowserWindow) {
        self.window.withLock { $0 = window }
        remark("The browser was opened: sign in there. Press Ctrl-C to cancel.")
    }

    private func remark(_ text: String) { Console(isQuiet: isQuiet).remark(text) }
}
