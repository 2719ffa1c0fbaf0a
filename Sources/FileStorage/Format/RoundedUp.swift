extension FixedWidthInteger {
    /// The next multiple of `step`, which is a power of two.
    @inline(always)
    func roundedUp(to step: Self) -> Self { (self + step - 1) & ~(step - 1) }
}
