package io.rdma4j.interop.suite;

import io.rdma4j.base.RdmaException;
import io.rdma4j.interop.peer.Side;
import io.rdma4j.interop.peer.Words;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import io.rdma4j.interop.suite.Scenario.Skipped;
import java.io.IOException;

/** What our side says of the packets of Linux: how many it took, and for how many it had to find the IPv4 identification that the socket hides. */
final class Tally {
    private long taken;
    private long solved;
    private long refused;

    /** Adds what a process of ours has counted; it is still there. */
    void add(Side ours) {
        try {
            Words counters = ours.counters();
            taken += counters.number("rcvd_pkts");
            solved += counters.number("rcvd_solved_ip_id");
            refused += counters.number("rx_icrc_encapsulated");
        } catch (IOException | RdmaException _) {
            // The process has failed, as its scenario tells; what it counted is lost.
        }
    }

    /**
     * What is worth telling.
     *
     * @param hidden whether the carrier hides the identification
     * @throws Mismatch if a packet was refused, or the identifications are not what they must be
     */
    String judge(boolean hidden) {
        if (taken == 0) {
            throw new Skipped("only the processes of verbs scenarios are asked for their counters");
        }
        String text = taken + " packets in verbs scenarios, " + solved + " with solved identification, " + refused
                + " with wrong ICRC";
        if (refused != 0 || hidden != solved > 0) {
            throw new Mismatch(text);
        }
        return text;
    }
}
