// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import NIOHTTP1

/// A response of the loopback listener during a sign-in or sign-out: a page without scripts, styles and links, which must
/// not be cached or framed.
struct LoopbackPage: Sendable {
    let status: HTTPResponseStatus
    var text = ""
    var location: String?
    var allowed: String?

    static let completed = LoopbackPage(
        status: .ok,
        text: "Everything is done in the browser. You can close this page and return to the application."
    )
    static let failed = LoopbackPage(
        status: .ok,
        text: "Signing in or out failed. You can close this page; the application shows the reason."
    )
    static let foreign = LoopbackPage(
        status: .badRequest,
        text: "The application is not waiting for this response. Return to the application."
    )
    static let usedLink = LoopbackPage(
        status: .gone,
        text: "This link has already been used or replaced. Return to the application and open the page again."
    )
    static let notFound = LoopbackPage(status: .notFound, text: "There is nothing here.")
    static let otherHost = LoopbackPage(
        status: .misdirectedRequest,
        text: "This server does not have the requested host name."
    )
    static let tooLarge = LoopbackPage(status: .payloadTooLarge, text: "This request is too large.")
    static let notAForm = LoopbackPage(status: .unsupportedMediaType, text: "This request does not contain a form.")
    static let malformed = LoopbackPage(status: .badRequest, text: "This request is not valid.")

    static func redirect(to url: String) -> LoopbackPage { LoopbackPage(status: .seeOther, location: url) }

    static func methods(_ allowed: String) -> LoopbackPage {
        LoopbackPage(status: .methodNotAllowed, text: "This method is not allowed here.", allowed: allowed)
    }

    static func page(for verdict: RedirectVerdict) -> LoopbackPage {
        switch verdict {
        case .foreign: .foreign
        case .completed: .completed
        case .failed: .failed
        }
    }

    var head: HTTPResponseHead {
        var headers: HTTPHeaders = [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Length": String(body.utf8.count),
            "Cache-Control": "no-store",
            "Connection": "close",
            "Content-Security-Policy":
                "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        ]
        if let location { headers.add(name: "Location", value: location) }
        if let allowed { headers.add(name: "Allow", value: allowed) }
        return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    }

    var body: String {
        guard location == nil else { return "" }
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <title>Return to the application</title>
            <p>\(text)</p>
            </html>

            """
    }
}
#endif
