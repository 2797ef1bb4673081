import MotivatorHTTP
import Synchronization

/// A page that is rendered at the first request for it, and then kept.
final class LazyPage: Sendable {
    private let rendered = AtomicLazyReference<Representation>()
    private let render: @Sendable () -> Representation

    init(_ render: @escaping @Sendable () -> Representation) {
        self.render = render
    }

    var representation: Representation { rendered.load() ?? rendered.storeIfNil(render()) }
}
