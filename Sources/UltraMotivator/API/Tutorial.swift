/// The template data for the index of the tutorial's paths.
struct Tutorial: Sendable {
    struct Row: Sendable {
        let file: String
        let path: String
        /// The path of the same page or call outside the tutorial.
        let other: String
        let isPage: Bool
        /// The ID of the call's section on the page `/docs`.
        let anchor: String
    }

    /// The scripts in each of the tutorial's folders, without their extension.
    static let names = ["signup", "signin", "update"]

    let host: String
    let origin: String
    let rows = ["web", "api"].flatMap { folder in
        names.map { name in
            let isPage = folder == "web"
            return Row(
                file: "\(folder)/\(name).py", path: "/ultra_motivator/\(folder)/\(name).py",
                other: isPage ? "/\(name)" : "/api/\(name)", isPage: isPage, anchor: name)
        }
    }
}
