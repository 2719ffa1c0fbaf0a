/// Reads the command lines that scripts run in a loop, `list` and `lookup`, without the argument parser.
///
/// The parser finds options by reflection, which takes longer than everything else that a lookup does. Here only what
/// is written out in full counts (`--name value`, each at most once); anything else, right or wrong, is left to the
/// parser, which is the only one to judge and to explain. A test holds both to the same result.
struct QuickArguments {
    private var values: [(name: String, value: String)] = []
    private var flags: [String] = []

    /// The command, ready to run; nil: let the parser read it.
    ///
    /// - Parameter arguments: without the name of the program.
    /// - Returns: what `run()` can be called on.
    static func command(_ arguments: [String]) -> (any GroupCommand)? {
        switch arguments.first {
        case "list": ListCommand(quick: QuickArguments(arguments.dropFirst(), ListCommand.quickNames))
        case "lookup": LookupCommand(quick: QuickArguments(arguments.dropFirst(), LookupCommand.quickNames))
        default: nil
        }
    }

    /// What may stand in a command line.
    struct Names {
        let values: [String]
        let flags: [String]

        static func + (left: Names, right: Names) -> Names {
            Names(values: left.values + right.values, flags: left.flags + right.flags)
        }
    }

    init?(_ arguments: ArraySlice<String>, _ names: Names) {
        var rest = arguments
        while let argument = rest.popFirst() {
            if names.flags.contains(argument), !flags.contains(argument) {
                flags.append(argument)
            } else if names.values.contains(argument), self[argument] == nil, let value = rest.popFirst(),
                !value.hasPrefix("-")
            {
                values.append((argument, value))
            } else {
                return nil
            }
        }
    }

    subscript(_ name: String) -> String? {
        values.first { $0.name == name }?.value
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }
}
