// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ToolInterface

/// `cachetool profiles`
struct ProfilesCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract: "List the profiles, which stand for the options of a sign-in.",
        discussion: """
            cachetool sign-in --save-as NAME makes a profile, and replaces the one of that name; sign-in NAME signs in again, \
            and only notes in it who signed in. token, lookup, sign-out and sign-in take its name in place of --authority, --client, --scopes, --account and the options of the group; \
            options that you type take precedence. Without a name and an app, they use the profile that $CACHETOOL_PROFILE \
            names. With --group or --root, lists only the profiles of that group or folder.

            The file is $XDG_CONFIG_HOME/swift-token-cache/profiles, else ~/.config/swift-token-cache/profiles. It \
            contains no secret. To change or remove a profile, edit it: after a line [NAME], each line is an option without \
            its hyphens, an equals sign, and the value.

            EXAMPLES:
              cachetool sign-in --authority https://id.example.com \\
                  --client notes --scopes "openid notes.read" --save-as work
              cachetool profiles
              cachetool token work --header -- \\
                  curl -H @/dev/fd/3 https://api.example.com/notes
            """
    )

    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let file = try ProfileFile.read()
        let console = session.console
        let profiles = (session.root == nil ? file.profiles : file.profiles(in: session.root)).filter {
            (session.typedGroupName ?? $0.group) == $0.group
        }
        if session.usesJSON {
            let json = JSONWriter(console.output)
            json.document {
                json.member("path", file.path)
                json.array("profiles") {
                    for profile in profiles { json.objectElement { write(profile, json) } }
                }
            }
        } else if profiles.isEmpty {
            console.remark("There is no such profile in \(file.path). cachetool sign-in --save-as NAME makes one.")
        } else {
            let columns = [
                TableColumn("PROFILE"), .username("USER"), .id("APP"), TableColumn("GROUP"),
                TableColumn("SCOPES", minimum: 10),
            ]
            Table(columns, of: profiles) { profile in
                [
                    TableCell(profile.name), TableCell(profile["login-hint"] ?? profile["account"] ?? ""),
                    TableCell(profile["client"] ?? profile["for"] ?? ""), TableCell(profile.group),
                    TableCell(profile["scopes"] ?? "", .dim),
                ]
            }.write(to: console)
        }
    }

    private func write(_ profile: Profile, _ json: JSONWriter) {
        json.member("name", profile.name)
        json.member("group", profile.group)
        for option in ["authority", "client", "scopes", "account", "for"] { json.member(option, profile[option]) }
    }
}
