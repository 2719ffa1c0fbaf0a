// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TokenAcquisition
import ToolInterface

/// `cachetool-sign-in handle-redirect`, which the desktop starts for an application's custom scheme.
struct HandleRedirectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handle-redirect",
        abstract: "Pass the browser's response on to the app that waits for it.",
        usage: "cachetool-sign-in handle-redirect <url>",
        discussion: """
            Desktop files name this command for redirect URIs with a scheme of an app's own, such as com.example.app:/PATH. \
            The exit status is 3 if no app of the user waits for the response.
            """
    )

    @Argument(help: ArgumentHelp("The URL that the browser was sent to.", valueName: "url"))
    var url: String

    func run() async throws {
        #if SignIn
        guard await PublicClient.handle(redirect: url) else {
            throw CommandFailure(.notFound, "No app waits for this response. Start the sign-in again.")
        }
        #else
        throw CommandFailure.withoutNetwork
        #endif
    }
}
