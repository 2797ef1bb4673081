#if canImport(Darwin)
import Platform

extension HashingQueue {
    /// Makes the calling thread one that runs when the others leave time.
    static func giveWayToOthers() {
        pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
    }
}
#endif
