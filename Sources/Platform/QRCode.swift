/// A QR code. Requires the library libqrencode at run time.
package struct QRCode: Sendable {
    package let width: Int
    private let isDark: [Bool]

    #if canImport(Darwin)
    /// The Homebrew paths of the library on Apple silicon and on Intel.
    private static let libraries = ["/opt/homebrew/lib/libqrencode.4.dylib", "/usr/local/lib/libqrencode.4.dylib"]
    package static let package = "qrencode"
    #else
    private static let libraries = ["libqrencode.so.4"]
    package static let package = "libqrencode4"
    #endif

    private typealias Encode =
        @convention(c) (UnsafePointer<CChar>, Int32, Int32, Int32, Int32) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

    /// - Returns: nil if the library is not installed, or the text is too long.
    package init?(_ text: String) {
        var library: UnsafeMutableRawPointer?
        for name in Self.libraries where unsafe library == nil { unsafe library = dlopen(name, RTLD_NOW) }
        guard let library = unsafe library, let encode = unsafe dlsym(library, "QRcode_encodeString"),
            let free = unsafe dlsym(library, "QRcode_free")
        else { return nil }
        // Arguments: smallest version, error correction level M, byte mode, case-sensitive.
        guard let code = unsafe unsafeBitCast(encode, to: Encode.self)(text, 0, 1, 2, 1) else { return nil }
        defer { unsafe unsafeBitCast(free, to: Free.self)(code) }
        // struct QRcode { int version; int width; unsigned char *data; }: the lowest bit of each byte is a module.
        width = unsafe Int(code.load(fromByteOffset: 4, as: Int32.self))
        let data = unsafe code.load(fromByteOffset: 8, as: UnsafePointer<UInt8>.self)
        isDark = unsafe UnsafeBufferPointer(start: data, count: width * width).map { $0 & 1 == 1 }
    }

    private func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<width).contains(row) && (0..<width).contains(column) && isDark[row * width + column]
    }

    /// Returns the code for a terminal, with two modules per character.
    /// - Parameter isColored: whether to set the colors to dark on light. Otherwise, the terminal must have a dark
    ///   background.
    package func text(isColored: Bool) -> String {
        let quiet = 2
        return stride(from: -quiet, to: width + quiet, by: 2).map { row in
            let line = (-quiet..<width + quiet).map { column in
                switch (isDark(row, column), isDark(row + 1, column)) {
                case (false, false): "█"
                case (false, true): "▀"
                case (true, false): "▄"
                case (true, true): " "
                }
            }.joined()
            return isColored ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line
        }.joined(separator: "\n")
    }

    package var svg: String {
        let quiet = 4
        let side = width + 2 * quiet
        let path = isDark.indices.filter { isDark[$0] }
            .map { "M\($0 % width + quiet) \($0 / width + quiet)h1v1h-1z" }.joined()
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <rect width="\(side)" height="\(side)" fill="#fff"/><path fill="#000" d="\(path)"/></svg>

            """
    }
}
