import ArgumentParser

/// What `cachetool import` takes and leaves.
struct ImportOptionGroup: ParsableArguments {
    @Option(name: .customLong("from"), help: ArgumentHelp("Whose cache the file is.", valueName: "format"))
    var format = ImportedFormat.msal

    @Flag(help: "Leave bad entries out instead of refusing the file.")
    var partial = false

    @Flag(help: "Put the file's entries over newer ones, and lift sign-outs.")
    var replace = false

    @Option(help: ArgumentHelp("Refuse a file larger than this, such as 64M or 4G.", valueName: "size"))
    var maxSize = ByteSize.standardImport
}
