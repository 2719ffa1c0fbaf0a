// SPDX-License-Identifier: Apache-2.0

internal import CSecretService

/// An immutable D-Bus value. Bind the libraries before using it.
@safe final class BusValue: @unchecked Sendable {
    // SAFETY: owns one reference; the value behind it is immutable and counts its references atomically.
    let pointer: OpaquePointer

    /// Takes ownership of one reference.
    @unsafe init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe secret_variant_unref(pointer)
    }

    // MARK: - Making

    static func string(_ text: String) -> BusValue { unsafe BusValue(owning: secret_variant_string(text)) }
    static func path(_ path: String) -> BusValue { unsafe BusValue(owning: secret_variant_path(path)) }
    static func bool(_ value: Bool) -> BusValue { unsafe BusValue(owning: secret_variant_bool(value)) }
    static func number(_ value: UInt32) -> BusValue { unsafe BusValue(owning: secret_variant_uint32(value)) }

    static func tuple(_ children: [BusValue]) -> BusValue {
        unsafe withPointers(children) { unsafe BusValue(owning: secret_variant_tuple($0, $1)) }
    }

    static func array(of type: String, _ children: [BusValue]) -> BusValue {
        unsafe withPointers(children) { unsafe BusValue(owning: secret_variant_array(type, $0, $1)) }
    }

    static func paths(_ paths: [String]) -> BusValue {
        array(of: "o", paths.map { .path($0) })
    }

    /// The type `a{ss}`.
    static func texts(_ texts: [(key: String, value: String)]) -> BusValue {
        array(of: "{ss}", texts.map { entry(.string($0.key), .string($0.value)) })
    }

    /// The type `a{sv}`.
    static func properties(_ properties: [(key: String, value: BusValue)]) -> BusValue {
        array(of: "{sv}", properties.map { entry(.string($0.key), $0.value.boxed) })
    }

    private static func entry(_ key: BusValue, _ value: BusValue) -> BusValue {
        unsafe BusValue(owning: secret_variant_entry(key.pointer, value.pointer))
    }

    private var boxed: BusValue { unsafe BusValue(owning: secret_variant_boxed(pointer)) }

    private static func withPointers(
        _ children: [BusValue],
        _ body: (UnsafePointer<OpaquePointer?>?, Int) -> BusValue
    ) -> BusValue {
        // Keep the children alive during the call; the new value retains them itself.
        let pointers: [OpaquePointer?] = unsafe children.map { unsafe $0.pointer }
        return withExtendedLifetime(children) {
            unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
        }
    }

    // MARK: - Reading

    func has(_ type: String) -> Bool { unsafe secret_variant_has_type(pointer, type) }

    /// The number of children of an array or a tuple.
    var count: Int { unsafe secret_variant_count(pointer) }

    /// The child at `index`; if that is a variant, its content.
    subscript(index: Int) -> BusValue { unsafe BusValue(owning: secret_variant_child(pointer, index)) }

    /// A string or path; `nil` for any other type.
    var text: String? {
        guard has("s") || has("o") else { return nil }
        return unsafe String(cString: secret_variant_text(pointer))
    }

    /// A Boolean; `nil` for any other type.
    var bool: Bool? {
        guard has("b") else { return nil }
        return unsafe secret_variant_truth(pointer)
    }

    /// An unsigned number of 32 or 64 bits; `nil` for any other type.
    var number: UInt64? {
        guard has("u") || has("t") else { return nil }
        return unsafe secret_variant_number(pointer)
    }

    /// The strings of an array.
    var texts: [String] { (0..<count).compactMap { self[$0].text } }
}
