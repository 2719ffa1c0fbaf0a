// SPDX-License-Identifier: Apache-2.0

extension BusMethod {
    private static let bus = "org.freedesktop.DBus"
    private static let service = "org.freedesktop.Secret.Service"
    private static let item = "org.freedesktop.Secret.Item"

    static let collectionInterface = "org.freedesktop.Secret.Collection"
    static let itemInterface = item

    static let nameHasOwner = BusMethod(interface: bus, name: "NameHasOwner")
    static let getNameOwner = BusMethod(interface: bus, name: "GetNameOwner")
    static let getConnectionProcess = BusMethod(interface: bus, name: "GetConnectionUnixProcessID")
    static let listActivatableNames = BusMethod(interface: bus, name: "ListActivatableNames")
    static let startServiceByName = BusMethod(interface: bus, name: "StartServiceByName")
    static let getProperty = BusMethod(interface: "org.freedesktop.DBus.Properties", name: "Get")
    static let readAlias = BusMethod(interface: service, name: "ReadAlias")
    static let searchItems = BusMethod(interface: service, name: "SearchItems")
    static let getSecrets = BusMethod(interface: service, name: "GetSecrets")
    static let unlock = BusMethod(interface: service, name: "Unlock")
    static let createItem = BusMethod(interface: collectionInterface, name: "CreateItem")
    static let setSecret = BusMethod(interface: item, name: "SetSecret")
    static let delete = BusMethod(interface: item, name: "Delete")
    static let dismiss = BusMethod(interface: "org.freedesktop.Secret.Prompt", name: "Dismiss")
}

/// The well-known names and paths.
enum BusName {
    static let bus = "org.freedesktop.DBus"
    static let busPath = "/org/freedesktop/DBus"
    static let secrets = "org.freedesktop.secrets"
    static let secretsPath = "/org/freedesktop/secrets"
    static let collectionPrefix = "/org/freedesktop/secrets/collection/"
    /// The path that denotes no object.
    static let nowhere = "/"
}
