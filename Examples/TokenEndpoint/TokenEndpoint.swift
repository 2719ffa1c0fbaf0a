// SPDX-License-Identifier: Apache-2.0

import Glibc
import LocalHTTP

/// A token endpoint for tests and examples: on this machine, without any secret of worth. Refresh tokens rotate, and one
/// that is spent twice takes the whole session with it, as providers do that look for stolen tokens.
///
///     token-endpoint [--delay MILLISECONDS] [--grace]
///
/// It prints the port that it listens on. `--grace` answers the last token that was spent once more.
@main
enum TokenEndpoint {
    static func main() {
        let arguments = CommandLine.arguments
        let delay = arguments.firstIndex(of: "--delay").flatMap { index in
            index + 1 < arguments.count ? UInt32(arguments[index + 1]) : nil
        }
        guard let server = LocalServer() else { exit(1) }
        print(server.port)
        fflush(nil)
        var sessions = Sessions(hasGrace: arguments.contains("--grace"))
        server.run { request in
            if request.start.contains("/figures") { return (200, sessions.figures) }
            if let delay, request.form["grant_type"] == "refresh_token" { usleep(delay * 1000) }
            return sessions.answer(request.form)
        }
    }
}
