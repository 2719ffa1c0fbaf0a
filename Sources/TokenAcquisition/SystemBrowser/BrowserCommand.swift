// SPDX-License-Identifier: Apache-2.0

/// A program that may open a URL.
struct BrowserCommand: Hashable, Sendable {
    /// The path of the program.
    let program: String
    /// Its arguments, including the URL.
    let arguments: [String]
    /// Whether the user chose the program, so that its output may be meant for the user.
    var isNamedByUser = false

    /// Returns the programs to try for a URL.
    ///
    /// - Parameters:
    ///   - url: the URL.
    ///   - environment: the environment variables.
    ///   - isExecutable: whether there is an executable program at a path.
    /// - Returns: the programs in order; none if no program is likely to succeed.
    static func commands(
        for url: String,
        environment: [String: String],
        isExecutable: (String) -> Bool
    ) -> [BrowserCommand] {
        func path(of name: String) -> String? {
            if name.contains("/") { return isExecutable(name) ? name : nil }
            let folders = environment["PATH"].map { $0.isEmpty ? "/usr/bin:/bin" : $0 } ?? "/usr/bin:/bin"
            return folders.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first(
                where: isExecutable
            )
        }
        func isSet(_ name: String) -> Bool { environment[name]?.isEmpty == false }

        var commands: [BrowserCommand] = []
        for entry in (environment["BROWSER"] ?? "").split(separator: ":") {
            var words = entry.split(separator: " ").map(String.init)
            guard !words.isEmpty, let program = path(of: words.removeFirst()) else { continue }
            let named = words.contains { $0.contains("%s") } ? words.map { filling($0, with: url) } : words + [url]
            commands.append(BrowserCommand(program: program, arguments: named, isNamedByUser: true))
        }
        let isSandboxed = isSet("FLATPAK_ID") || isSet("SNAP")
        if isSandboxed, let gdbus = path(of: "gdbus") {
            let call =
                "call --session --dest org.freedesktop.portal.Desktop --object-path /org/freedesktop/portal/desktop"
            let method = ["--method", "org.freedesktop.portal.OpenURI.OpenURI", "", url, "{}"]
            commands.append(
                BrowserCommand(program: gdbus, arguments: call.split(separator: " ").map(String.init) + method)
            )
        }
        if isSandboxed || isSet("DISPLAY") || isSet("WAYLAND_DISPLAY"), let program = path(of: "xdg-open") {
            commands.append(BrowserCommand(program: program, arguments: [url]))
        }
        if isSet("WSL_DISTRO_NAME"), let program = path(of: "wslview") {
            commands.append(BrowserCommand(program: program, arguments: [url]))
        }
        return commands
    }

    private static func filling(_ word: String, with url: String) -> String {
        guard let place = word.firstRange(of: "%s") else { return word }
        return String(word[..<place.lowerBound]) + url + String(word[place.upperBound...])
    }
}
