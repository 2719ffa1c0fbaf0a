extension GroupOptions {
    static let quickNames = QuickArguments.Names(
        values: ["--group", "--root", "--key-file", "--passphrase-fd"],
        flags: []
    )

    init?(quick arguments: QuickArguments) {
        self.init()
        group = arguments["--group"]
        root = arguments["--root"]
        storage = .automatic
        collection = nil
        keyFile = arguments["--key-file"]
        passphraseFd = nil
        timeout = .standard
        if let text = arguments["--passphrase-fd"] {
            guard let descriptor = Int32(text) else { return nil }
            passphraseFd = descriptor
        }
    }
}

extension OutputOptions {
    static let quickNames = QuickArguments.Names(values: [], flags: ["--json", "--no-prompt", "--quiet", "-q"])

    init(quick arguments: QuickArguments) {
        self.init()
        json = arguments.has("--json")
        noPrompt = arguments.has("--no-prompt")
        quiet = arguments.has("--quiet") || arguments.has("-q")
    }
}

extension RevealOptions {
    static let quickNames = QuickArguments.Names(values: [], flags: ["--reveal", "--yes", "-y"])

    init(quick arguments: QuickArguments) {
        self.init()
        reveal = arguments.has("--reveal")
        yes = arguments.has("--yes") || arguments.has("-y")
    }
}

extension EntryFilterOptions {
    static let quickNames = QuickArguments.Names(values: ["--account", "--client", "--tenant"], flags: ["--expired"])

    init(quick arguments: QuickArguments) {
        self.init()
        account = arguments["--account"]
        client = arguments["--client"]
        tenant = arguments["--tenant"]
        kind = []
        expired = arguments.has("--expired")
    }
}

extension LookupOptions {
    static let quickNames = QuickArguments.Names(
        values: ["--account", "--client", "--scopes", "--tenant", "--environment", "--claims"],
        flags: []
    )

    init?(quick arguments: QuickArguments) {
        guard let client = arguments["--client"], let scopes = arguments["--scopes"] else { return nil }
        self.init()
        self.client = client
        self.scopes = scopes
        account = arguments["--account"]
        tenant = arguments["--tenant"]
        environment = arguments["--environment"]
        claims = arguments["--claims"]
    }
}
