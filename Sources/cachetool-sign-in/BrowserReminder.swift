// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TokenAcquisition
import ToolInterface

/// Says what to do while a sign-in waits for the browser.
final class BrowserReminder: Sendable {
    private let reminder = Mutex<Task<Void, any Error>?>(nil)
    private let isForAPI: Bool
    private let isQuiet: Bool

    /// - Parameters:
    ///   - isForAPI: whether the client may be one that was registered for an API.
    ///   - isQuiet: whether to say nothing.
    init(isForAPI: Bool, isQuiet: Bool) {
        (self.isForAPI, self.isQuiet) = (isForAPI, isQuiet)
    }

    /// Call this when the browser was opened: says so, and what to do if nothing comes back for a while.
    func noteOpened(_ window: BrowserWindow) {
        guard !isQuiet else { return }
        remark("The browser was opened: sign in there. Press Ctrl-C to cancel.")
        let task = Task {
            try await Task.sleep(for: .seconds(20))
            remark(
                "Nothing came back from the browser yet. If no page opened, open \(await window.url()) on this machine. "
                    + "If the page refuses the redirect URI, name the registered one with --redirect-uri. For a browser "
                    + "on another device, use --device-code."
                    + (isForAPI ? " If the page does not know the app any more, use --register." : "")
            )
        }
        reminder.withLock { $0 = task }
    }

    /// Call this when the wait is over.
    func end() {
        reminder.withLock { $0?.cancel() }
    }

    private func remark(_ text: String) { Console(isQuiet: isQuiet).remark(text) }
}
