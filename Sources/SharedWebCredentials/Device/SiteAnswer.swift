/// What came of asking a site for its association file.
public enum SiteAnswer: Sendable, Hashable {
    /// The site has a file that the device takes.
    case file(SiteFile)
    /// It has none, and is not thought to have one soon.
    case denied(AssociationFailure)
    /// It could not tell, and may the next time.
    case retry(AssociationFailure)
}
