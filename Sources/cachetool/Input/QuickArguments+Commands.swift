extension ListCommand {
    static let quickNames = EntryFilterOptions.quickNames + GroupOptions.quickNames + OutputOptions.quickNames

    init?(quick arguments: QuickArguments?) {
        guard let arguments, let group = GroupOptions(quick: arguments) else { return nil }
        self.init()
        filters = EntryFilterOptions(quick: arguments)
        self.group = group
        output = OutputOptions(quick: arguments)
    }
}

extension LookupCommand {
    static let quickNames =
        LookupOptions.quickNames + RevealOptions.quickNames + GroupOptions.quickNames + OutputOptions.quickNames

    init?(quick arguments: QuickArguments?) {
        guard let arguments, let group = GroupOptions(quick: arguments),
            let options = LookupOptions(quick: arguments)
        else { return nil }
        self.init()
        self.options = options
        reveal = RevealOptions(quick: arguments)
        self.group = group
        output = OutputOptions(quick: arguments)
    }
}
