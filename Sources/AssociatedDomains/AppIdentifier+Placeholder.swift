extension AppIdentifier {
    /// Whether a well-formed identifier looks like a placeholder from a template, such as
    /// `XXXXXXXXXX.com.yourcompany.app`. Real apps are unlikely to have such an identifier.
    public var looksLikePlaceholder: Bool {
        AppIdentifier.isPlaceholder(prefix: prefix) || AppIdentifier.isPlaceholder(bundle: bundleIdentifier)
    }

    /// Returns whether a prefix looks made up: a sequence of letters or digits, one repeated character, or a word.
    private static func isPlaceholder(prefix: String) -> Bool {
        let runs = [
            "ABCDE12345", "ABCDEF1234", "ABCD123456", "ABC1234567", "AB12345678", "A123456789", "ABCDEFG123",
            "12345ABCDE",
            "ABCDEFGHIJ", "1234567890", "0123456789", "9876543210", "QWERTYUIOP",
        ]
        return runs.contains(prefix) || Set(prefix).count == 1
            || ["TEAMID", "YOURTEAM", "YOURID", "APPID", "XXXXX"].contains { prefix.contains($0) }
    }

    private static func isPlaceholder(bundle: String) -> Bool {
        let labels = bundle.lowercased().split(separator: ".").map { String($0).replacing("-", with: "") }
        let words: Set = [
            "yourcompany", "yourcompanyname", "yourorganization", "yourorg", "yourdomain", "yourapp", "yourappname",
            "yourname", "yourbundleid", "yourbundleidentifier", "bundleid", "bundleidentifier", "companyname",
            "mycompany", "mydomain", "placeholder",
        ]
        return labels.first == "your" || labels.contains { words.contains($0) }
    }
}
