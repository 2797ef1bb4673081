import AssociatedDomains

extension Question {
    /// Takes over the entries of an app's property list, and what is to be said of the list itself.
    ///
    /// - Parameters:
    ///   - list: the app's entitlements.
    ///   - source: what findings call the list.
    public mutating func add(_ list: Entitlements, from source: String) {
        entries += list.entries.map { Entry($0.text, source: source, place: $0.place) }
        listFindings += list.remarks.map { Finding($0, in: source) }
        // The list of a built app tells whose it is.
        if apps.isEmpty, let text = list.applicationIdentifier, let app = try? AppIdentifier(text) { apps = [app] }
    }
}
