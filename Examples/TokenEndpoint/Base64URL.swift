// SPDX-License-Identifier: Apache-2.0

/// Text in the alphabet of tokens.
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    static func encode(_ text: String) -> String {
        var encoded = ""
        var (bits, held) = (0, 0)
        for byte in text.utf8 {
            held = (held << 8 | Int(byte)) & 0xFFFF
            bits += 8
            while bits >= 6 {
                bits -= 6
                encoded.append(alphabet[held >> bits & 63])
            }
        }
        if bits > 0 { encoded.append(alphabet[held << (6 - bits) & 63]) }
        return encoded
    }
}
