// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.Service;
import io.rdma4j.verbs.values.QpCapabilities;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Limits of a program, and its protocol violations.
 *
 * @param service of its connection
 * @param served operations that the peer's queue pair permits
 * @param mtuBytes path MTU
 * @param sender sizes of the queue pair that sends
 * @param receiver sizes of the queue pair that receives
 * @param maxBytes longest message
 * @param ownReceives true if each step has its own receive: the service is reliable and the receive queue is not shared
 * @param accesses accesses to the peer's region, the region's own key first
 * @param violations number of protocol violations
 */
record ProgramLimits(
        Service service,
        Set<StepKind> served,
        int mtuBytes,
        QpCapabilities sender,
        QpCapabilities receiver,
        int maxBytes,
        boolean ownReceives,
        List<KeyedAccess.Kind> accesses,
        int violations) {
    /** Returns a copy with other accesses to the peer's region. */
    ProgramLimits with(List<KeyedAccess.Kind> others) {
        return new ProgramLimits(
                service, served, mtuBytes, sender, receiver, maxBytes, ownReceives, List.copyOf(others), violations);
    }

    /** True if keys are opened and closed during the program. */
    boolean hasAccesses() {
        return accesses.size() > 1;
    }

    /** Operations that the service defines and the peer's queue pair does not permit. */
    Set<StepKind> unserved() {
        Set<StepKind> kinds = EnumSet.copyOf(StepKind.of(service));
        kinds.removeAll(served);
        return kinds;
    }
}
