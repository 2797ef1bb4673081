import AssociatedDomains

extension AssociationOutline {
    /// Why an app is not associated for a service.
    ///
    /// - Parameters:
    ///   - app: the app that asks.
    ///   - service: what it asks for.
    ///   - subject: what the finding calls the file.
    /// - Returns: the finding; nil when the file names the app for the service.
    public func refusal(of app: AppIdentifier, for service: Service, in subject: String = "") -> Finding? {
        QuestionJudge(outline: self, subject: subject, services: [service], apps: [app]).findings.first
    }
}
