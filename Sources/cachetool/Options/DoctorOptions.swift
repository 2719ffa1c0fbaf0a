import ArgumentParser

/// How far `cachetool doctor` goes.
struct DoctorOptions: ParsableArguments {
    @Flag(help: "Also write something where the group keeps its records, read it back and remove it.")
    var probeWrite = false
}
