/// The host of an entry: a name, an address, or a wildcard with a name.
struct AssociatedDomainHost {
    package typealias Malformed = AssociatedDomain.Malformed

    package let written: String
    /// The host in lower case, without `*.` and without the brackets of an IPv6 address.
    package let name: String
    package let isWildcard: Bool
    package let isAddress: Bool

    /// - Parameters:
    ///   - host: A slice of the text's scalars. Its indices count from the beginning of the text.
    init(_ host: ArraySlice<Unicode.Scalar>, of text: String) throws(Malformed) {
        written = host.text
        if host.first == "[" {
            guard let address = HostText.ipv6(host.dropFirst().dropLast().text) else {
                throw .malformedAddress(text, address: written)
            }
            (name, isWildcard, isAddress) = (address, false, true)
            return
        }
        guard !host.isEmpty else { throw .emptyHost(text) }
        try AssociatedDomainHost.checkCharacters(host, of: text)
        isWildcard = host.starts(with: ["*", "."])
        let name = isWildcard ? host.dropFirst(2) : host
        guard host.count > 1 || host.first != "*" else { throw .wildcardAlone(text) }
        if let star = name.firstIndex(of: "*") { throw .wildcardInside(text, position: star + 1) }
        guard !name.isEmpty else { throw .emptyHost(text) }
        try AssociatedDomainHost.checkLabels(name, isWildcard: isWildcard, of: text)
        guard written.utf8.count <= HostText.maximumName else {
            throw .hostTooLong(text, length: written.utf8.count)
        }
        self.name = HostText.lowered(name.text)
        isAddress = HostText.isIPv4(self.name)
    }

    private static func checkCharacters(_ host: ArraySlice<Unicode.Scalar>, of text: String) throws(Malformed) {
        for index in host.indices {
            let scalar = host[index]
            if scalar == "." || scalar == "*" || HostText.isNameCharacter(scalar) { continue }
            if scalar.properties.isWhitespace { throw .space(text, scalar, position: index + 1) }
            throw .character(text, scalar, position: index + 1)
        }
    }

    private static func checkLabels(
        _ name: ArraySlice<Unicode.Scalar>, isWildcard: Bool, of text: String
    ) throws(Malformed) {
        var start = name.startIndex
        for index in name.indices where name[index] == "." {
            if index == start {
                throw index == name.startIndex && !isWildcard
                    ? .leadingDot(text) : .emptyLabel(text, position: index + 1)
            }
            try checkLabel(name[start..<index], of: text)
            start = index + 1
        }
        guard start < name.endIndex else { throw .trailingDot(text) }
        try checkLabel(name[start...], of: text)
    }

    private static func checkLabel(_ label: ArraySlice<Unicode.Scalar>, of text: String) throws(Malformed) {
        guard label.count <= HostText.maximumLabel else {
            throw .labelTooLong(text, label: label.text, length: label.count)
        }
    }

    package func check(modes: AssociatedDomain.Modes, of text: String) throws(Malformed) {
        if isAddress {
            guard !isWildcard else { throw .wildcardAddress(text) }
            guard !modes.isEmpty else { throw .addressWithoutMode(text, address: written) }
            return
        }
        guard name.contains(".") else {
            guard name == "localhost", !isWildcard else { throw .noDot(text, host: written) }
            guard modes == .developer else { throw .localhostWithoutDeveloperMode(text) }
            return
        }
        if HostText.endsInNumber(name) { throw .malformedAddress(text, address: written) }
    }
}
