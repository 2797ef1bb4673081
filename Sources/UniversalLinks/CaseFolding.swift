extension Unicode.Scalar {
    /// The character that stands for this one when case does not count.
    ///
    /// One character for one, so that positions stay: the lower case of the upper case, where both are single
    /// characters. That is the simple case folding of Unicode but for a few letters of its exceptions; the dotless ı
    /// stays apart from i, as it does there.
    var folded: Unicode.Scalar {
        switch value {
        case 0x41...0x5A: return Unicode.Scalar(UInt8(truncatingIfNeeded: value) | 0x20)
        case 0...0x7F, 0x131: return self
        case _:
            let upper = Unicode.Scalar.only(of: properties.uppercaseMapping) ?? self
            return Unicode.Scalar.only(of: upper.properties.lowercaseMapping) ?? upper
        }
    }

    private static func only(of text: String) -> Unicode.Scalar? {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, scalars.count == 1 else { return nil }
        return first
    }
}
