package io.rdma4j.testing.sim;

import java.util.List;

/**
 * The requests of one direction of a connection, in order, and the regions that they need.
 *
 * @param terms what it keeps to
 * @param steps in order
 * @param remoteKey what the peer's region holds in the beginning
 * @param remoteBytes size of the peer's region
 * @param localBytes size of its own
 * @param inboxBytes size of the peer's memory for messages, if each knows its place there
 */
record Program(Terms terms, List<Step> steps, long remoteKey, int remoteBytes, long localBytes, long inboxBytes) {
    Program {
        steps = List.copyOf(steps);
    }

    int count() {
        return steps.size();
    }

    Step step(int index) {
        return steps.get(index);
    }

    /** Steps that take a receive, in their order. */
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

    /** True if answers land through a door that is closed by them. */
    boolean hasLandingDoor() {
        return steps.stream().anyMatch(step -> step.landing() >= 0);
    }

    /** Packets of the longest step. */
    int mostPackets() {
        return steps.stream()
                .mapToInt(step -> step.packets(terms.mtuBytes()))
                .max()
                .orElse(1);
    }
}
