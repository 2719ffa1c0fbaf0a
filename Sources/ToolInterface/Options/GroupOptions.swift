// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// The group, its location and what unlocks it.
public struct GroupOptions: ParsableArguments {
    /// The default group, for users who have only one.
    public static let standardGroup = "default"

    /// The name of the group, if one was typed.
    @Option(
        help: ArgumentHelp("The group. The standard one is called \(standardGroup).", valueName: "name"),
        completion: NameCompletion.groups
    )
    public var group: String?

    @Option(
        help: ArgumentHelp(
            "The folder that holds the groups. (default: $XDG_DATA_HOME/swift-token-cache, else "
                + "~/.local/share/swift-token-cache)",
            valueName: "dir"
        ),
        completion: .directory,
        transform: CallersPath.folder
    )
    var root: String?

    /// The kind of store that was typed.
    @Option(
        help: ArgumentHelp(
            "Where records are kept. For an existing group, use its own kind of store, or automatic.",
            valueName: "kind"
        )
    )
    public var storage = StorageName.automatic

    /// The collection of the keyring, if it is not the default one.
    @Option(
        help: ArgumentHelp(
            "The collection of the keyring, such as login, if it is not the default one.",
            valueName: "name"
        )
    )
    public var collection: String?

    /// What opens the group.
    @OptionGroup public var keys: KeyOptions

    /// How long the command waits for other processes.
    @Option(
        help: ArgumentHelp(
            "Wait at most this long for another process: more than 0, at most 86400, such as 0.5.",
            valueName: "seconds"
        )
    )
    public var timeout = Timeout.standard

    /// Called by the parser.
    public init() {}
}

extension GroupOptions {
    /// The first typed option that selects the group, its location, or what unlocks it; nil if there is none.
    public var givenOption: String? {
        let options = [
            ("--group", group != nil), ("--root", root != nil), ("--storage", storage != .automatic),
            ("--collection", collection != nil),
        ]
        return options.first { $0.1 }?.0 ?? keys.givenOption
    }
}

/// How long a command waits for other processes, as typed in seconds: "2", "0.5".
public struct Timeout: ExpressibleByArgument, Sendable {
    static let standard = Timeout(duration: .seconds(2), text: "2")

    /// The duration.
    public let duration: Duration
    private let text: String

    private init(duration: Duration, text: String) {
        self.duration = duration
        self.text = text
    }

    /// Called by the parser.
    public init?(argument: String) {
        guard let seconds = Double(argument), seconds > 0, seconds <= 86_400 else { return nil }
        self.init(duration: .milliseconds(Int64(seconds * 1_000)), text: argument)
    }

    /// The default value as help shows it.
    public var defaultValueDescription: String { text }
}
