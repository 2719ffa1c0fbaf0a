// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import TokenCaching

/// The command line that a shell completes, as far as it selects a group.
struct TypedLine {
    /// The words as typed, with quotes and a leading tilde.
    let words: [String]
    /// The folder that the tilde stands for.
    let home: String?

    var root: String? { value(of: "--root") }

    /// Opens the group for reading, without prompting the user or creating anything. Nil if that is impossible, or
    /// takes long.
    func openGroup() -> CacheGroup? {
        // The command shows another library's cache, not a group.
        guard value(of: "--file") == nil, value(of: "--from") == nil else { return nil }
        let key =
            value(of: "--key-file").map(FileUnlocking.keyFile(path:))
            ?? value(of: "--key-credential").map(FileUnlocking.credential)
            ?? value(of: "--key-file-mounted").map(FileUnlocking.mountedSecret(path:))
        return try? CacheGroup.open(
            value(of: "--group") ?? GroupOptions.standardGroup,
            root: root,
            storage: key.map { .file(unlockedBy: $0) } ?? .automatic,
            access: .readOnly,
            timeout: .milliseconds(500),
            prompts: .never
        )
    }

    /// The value of an option, after a space or an equals sign; nil if there is none.
    func value(of option: String) -> String? {
        for (index, word) in words.enumerated() {
            if word == option {
                // Bash passes the sign as a separate word.
                let rest = words[(index + 1)...].drop { $0 == "=" }
                return rest.first.map(unquoted)
            }
            if word.hasPrefix(option + "=") { return unquoted(String(word.dropFirst(option.count + 1))) }
        }
        return nil
    }

    /// The word as the shell would pass it to the program: without quotes and backslashes, and with the home folder in
    /// place of a tilde. Variables and commands are not expanded.
    private func unquoted(_ word: String) -> String {
        var word = word
        if word == "~" || word.hasPrefix("~/"), let home { word = home + word.dropFirst() }
        var result = ""
        var isEscaped = false
        for character in word {
            if !isEscaped, character == "\\" {
                isEscaped = true
                continue
            }
            if isEscaped || (character != "'" && character != "\"") { result.append(character) }
            isEscaped = false
        }
        return result
    }
}
