/// The order of the certificates that a server shows, beside the chain that was built of them.
struct ServedOrder {
    private let served: [Certificate]
    private let built: ExaminedPath

    init(_ served: [Certificate], _ built: ExaminedPath) {
        self.served = served
        self.built = built
    }

    /// Certificates that are out of order, and those that are not needed.
    var notes: [ChainFault] {
        var places: [Int] = []
        var unneeded: [String] = []
        for certificate in served {
            let place = built.path.firstIndex(of: certificate)
            if let place, !places.contains(place), !isShownAnchor(place) {
                places.append(place)
            } else {
                unneeded.append(certificate.title)
            }
        }
        // The first that does not follow the one that it issued.
        let misplaced = places.indices.dropFirst().first { places[$0] != places[$0 - 1] + 1 }
        return (misplaced.map { [.wrongOrder(subject: built.path[places[$0]].title)] } ?? [])
            + (unneeded.isEmpty ? [] : [.unneeded(subjects: unneeded)])
    }

    /// Whether it is a root that devices trust, and so have; a server's own certificate is always needed.
    private func isShownAnchor(_ place: Int) -> Bool {
        built.isAnchored && place > 0 && place == built.path.count - 1
    }
}
