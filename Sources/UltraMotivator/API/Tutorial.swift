/// The template data for the index of the tutorial's paths.
struct Tutorial: Sendable {
    /// The scripts in each of the tutorial's folders, without their extension.
    static let names = ["signup", "signin", "update"]

    let host: String
    let origin: String
}
