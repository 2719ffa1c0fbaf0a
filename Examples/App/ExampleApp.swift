// SPDX-License-Identifier: Apache-2.0

import Glibc
import LocalHTTP
import TokenCaching

/// A client application in a few lines, started twice with different names: each name is a client id of its own, and both
/// share one group and one family. It does what each line says, on its standard input:
///
///     sign-in USERNAME    signs in at the token endpoint, as after a browser window
///     accounts            lists who is signed in
///     mail USERNAME       gets a token without the person, renewing where needed
///     sign-out USERNAME   signs this application out
///
///     example-app NAME --root DIR --port PORT
@main
enum ExampleApp {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let port = UInt16(arguments[5]) else {
            print("usage: example-app NAME --root DIR --port PORT")
            exit(2)
        }
        let app = try App(name: arguments[1], root: arguments[3], port: port)
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            do throws(TokenCacheError) {
                try app.perform(words.first ?? "", words.count > 1 ? words[1] : "")
            } catch {
                app.say("\(error)")
            }
        }
    }
}
