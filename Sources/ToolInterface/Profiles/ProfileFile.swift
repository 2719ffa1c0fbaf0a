// SPDX-License-Identifier: Apache-2.0

/// The file of the profiles, which a person can read and edit: a line `[name]`, then lines `option = value`. Lines that
/// begin with `#` are comments.
public struct ProfileFile {
    /// The path.
    public let path: String
    /// The profiles in the order of the file.
    public private(set) var profiles: [Profile] = []
    /// Where each profile stands: from its name to its last option.
    private var places: [Range<Int>] = []
    private var lines: [String] = []

    /// Reads the user's file. A missing file is an empty one.
    ///
    /// - Throws: ``CommandFailure`` that names the line that is not valid.
    public static func read() throws(CommandFailure) -> ProfileFile { try ProfileFile(at: try standardPath()) }

    /// The profile with a name; nil if there is none.
    public subscript(name: String) -> Profile? { profiles.first { $0.name == name } }

    /// The profiles of groups in a folder; nil for the user's own.
    public func profiles(in root: String?) -> [Profile] {
        let root = root.map(CallersPath.absolute)
        return profiles.filter { $0["root"].map(CallersPath.absolute) == root }
    }

    /// Adds a profile to the user's file, or replaces the one of the same name.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be read or written, or if a value has a line break.
    public static func save(_ profile: Profile) throws(CommandFailure) { try save(profile, at: try standardPath()) }

    static func save(_ profile: Profile, at path: String) throws(CommandFailure) {
        for (option, value) in profile.options where value.contains(where: \.isNewline) {
            throw CommandFailure(.usage, "A profile cannot keep --\(option), because it has a line break.")
        }
        try PrivateText.change(at: path) { () throws(CommandFailure) in
            var file = try ProfileFile(at: path)
            file.replace(profile)
            return file.lines.map { $0 + "\n" }.joined()
        }
    }

    /// Changes options of a profile in the user's file, and leaves its other lines as they are. Does nothing if there is no
    /// such profile.
    ///
    /// - Throws: as ``save(_:)``.
    public static func update(_ name: String, _ options: [(name: String, value: String)]) throws(CommandFailure) {
        try update(name, options, at: try standardPath())
    }

    static func update(
        _ name: String,
        _ options: [(name: String, value: String)],
        at path: String
    ) throws(CommandFailure) {
        try PrivateText.change(at: path) { () throws(CommandFailure) in
            var file = try ProfileFile(at: path)
            file.update(name, options)
            return file.lines.map { $0 + "\n" }.joined()
        }
    }

    private mutating func update(_ name: String, _ options: [(name: String, value: String)]) {
        guard let index = profiles.firstIndex(where: { $0.name == name }) else { return }
        var added: [String] = []
        for option in options where !option.value.contains(where: \.isNewline) {
            let line = "\(option.name) = \(option.value)"
            let own = places[index].first { Self.trimmed(lines[$0].prefix { $0 != "=" }) == option.name }
            if let own { lines[own] = line } else { added.append(line) }
        }
        lines.insert(contentsOf: added, at: places[index].lowerBound + 1)
    }

    private mutating func replace(_ profile: Profile) {
        let text = ["[\(profile.name)]"] + profile.options.map { "\($0.name) = \($0.value)" }
        if let index = profiles.firstIndex(where: { $0.name == profile.name }) {
            lines.replaceSubrange(places[index], with: text)
        } else {
            lines += (lines.isEmpty ? [] : [""]) + text
        }
    }

    /// Where the user's file is; nil if no variable says it.
    public static var place: String? {
        // The specification of the base directories ignores relative paths.
        let folder =
            Syscalls.environment("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? Syscalls.environment("HOME").flatMap { $0.hasPrefix("/") ? $0 + "/.config" : nil }
        return folder.map { $0 + "/swift-token-cache/profiles" }
    }

    private static func standardPath() throws(CommandFailure) -> String {
        guard let place else {
            throw CommandFailure(.usage, "Neither HOME nor XDG_CONFIG_HOME says where profiles are. Set one of them.")
        }
        return place
    }

    init(at path: String) throws(CommandFailure) {
        self.path = path
        guard let text = try PrivateText.read(at: path) else { return }
        // Some editors begin a file with a mark of the byte order, and end lines with two characters.
        lines = text.drop { $0 == "\u{FEFF}" }.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map(String.init)
        if lines.last == "" { lines.removeLast() }
        for (index, line) in lines.enumerated() { try read(line, at: index) }
    }

    private mutating func read(_ line: String, at index: Int) throws(CommandFailure) {
        let text = Self.trimmed(line[...])
        if text.isEmpty || text.hasPrefix("#") { return }
        func failure(_ problem: String) -> CommandFailure {
            CommandFailure(.usage, "Line \(index + 1) of \(path): \(problem).")
        }
        if text.hasPrefix("[") {
            let name = String(text.dropFirst().prefix { $0 != "]" })
            guard text == "[\(name)]", Profile.isName(name) else {
                throw failure(
                    "a profile begins with its name in brackets: a lowercase letter, then up to 31 lowercase letters, digits, - and _"
                )
            }
            guard self[name] == nil else { throw failure("there is another profile \(name) above") }
            profiles.append(Profile(name))
            places.append(index..<index + 1)
            return
        }
        guard let last = profiles.indices.last else {
            throw failure("the name of a profile, such as [work], comes first")
        }
        guard let equals = text.firstIndex(of: "=") else { throw failure("an option is NAME = VALUE") }
        let (name, value) = (String(Self.trimmed(text[..<equals])), Self.trimmed(text[equals...].dropFirst()))
        guard Profile.optionNames.contains(name) else {
            let near = Spelling.nearest(to: name, among: Profile.optionNames).map { "; did you mean \($0)?" } ?? ""
            throw failure("a profile has no option \(name)\(near)")
        }
        guard !value.isEmpty else { throw failure("\(name) is empty") }
        guard !Profile.paths.contains(name) || value.hasPrefix("/") else {
            throw failure("\(name) has to begin with a slash, because a profile is used in any folder")
        }
        guard name != "storage" || StorageName(rawValue: String(value)) != nil else {
            throw failure("storage is one of \(StorageName.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        guard profiles[last][name] == nil || Profile.repeatedOptions.contains(name) else {
            throw failure("\(name) is given twice")
        }
        profiles[last].add(name, String(value))
        places[last] = places[last].lowerBound..<index + 1
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
