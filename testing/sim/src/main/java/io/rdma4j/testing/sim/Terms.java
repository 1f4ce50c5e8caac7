package io.rdma4j.testing.sim;

import io.rdma4j.verbs.QpCapabilities;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What a program must keep to, and what it may do wrong.
 *
 * @param service of its connection
 * @param served what the peer's queue pair lets it do
 * @param mtuBytes path MTU
 * @param sender sizes of the queue pair whose send queue it is
 * @param receiver sizes of the other one
 * @param maxBytes longest message
 * @param ownReceives true if each step that takes a receive knows which: reliable, and nobody else draws from the queue
 * @param doors ways to the peer's region, the region itself first
 * @param crimes how often it does what it must not
 */
record Terms(
        Service service,
        Set<StepKind> served,
        int mtuBytes,
        QpCapabilities sender,
        QpCapabilities receiver,
        int maxBytes,
        boolean ownReceives,
        List<Door.Kind> doors,
        int crimes) {
    /** The same with other ways to the peer's region. */
    Terms with(List<Door.Kind> others) {
        return new Terms(
                service, served, mtuBytes, sender, receiver, maxBytes, ownReceives, List.copyOf(others), crimes);
    }

    /** True if keys come and go. */
    boolean hasDoors() {
        return doors.size() > 1;
    }

    /** What the service has and the peer's queue pair does not do. */
    Set<StepKind> unserved() {
        Set<StepKind> kinds = EnumSet.copyOf(service.kinds());
        kinds.removeAll(served);
        return kinds;
    }
}
