// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import java.util.List;

/**
 * The requests of one direction of a connection, in order, and the sizes of the regions that they need.
 *
 * @param limits limits that it observes
 * @param steps in order
 * @param remoteKey determines the initial content of the peer's region
 * @param remoteBytes size of the peer's region
 * @param localBytes size of the local region
 * @param inboxBytes size of the peer's memory for messages, if each message has its own slot
 */
record WorkloadProgram(
        ProgramLimits limits, List<Step> steps, long remoteKey, int remoteBytes, long localBytes, long inboxBytes) {
    WorkloadProgram {
        steps = List.copyOf(steps);
    }

    int count() {
        return steps.size();
    }

    Step step(int index) {
        return steps.get(index);
    }

    /** Steps that take a receive, in order. */
    List<Step> receives() {
        return steps.stream().filter(step -> step.kind().takesReceive()).toList();
    }

    /** Bytes of the longest SEND. */
    int longestSend() {
        return steps.stream()
                .filter(step -> step.kind().isSend())
                .mapToInt(Step::length)
                .max()
                .orElse(0);
    }

    /** True if responses are written through an access that the response invalidates. */
    boolean hasResponseAccess() {
        return steps.stream().anyMatch(step -> step.landing() >= 0);
    }

    /** Packets of the longest step. */
    int mostPackets() {
        return steps.stream()
                .mapToInt(step -> step.packets(limits.mtuBytes()))
                .max()
                .orElse(1);
    }
}
