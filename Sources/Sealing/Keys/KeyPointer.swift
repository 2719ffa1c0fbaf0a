/// The address of the 32 bytes of a key that was checked to be there. Not to be kept beyond the key.
@unsafe package struct KeyPointer {
    let address: UnsafePointer<UInt8>

    @inline(always)
    init(address: UnsafeMutablePointer<UInt8>) {
        unsafe self.address = UnsafePointer(address)
    }
}
