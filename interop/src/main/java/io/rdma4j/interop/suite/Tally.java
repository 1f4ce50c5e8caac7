// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.base.RdmaException;
import io.rdma4j.interop.peer.CommandWords;
import io.rdma4j.interop.peer.Side;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import io.rdma4j.interop.suite.Scenario.Skipped;
import java.io.IOException;

/**
 * Counters of the rdma4j sides for packets of Linux: accepted packets, and packets whose IPv4 identification had to be
 * determined because the socket does not return it.
 */
final class Tally {
    private long taken;
    private long solved;
    private long refused;

    /** Adds the counters of an rdma4j process, which still runs. */
    void add(Side ours) {
        try {
            CommandWords counters = ours.counters();
            taken += counters.number("rcvd_pkts");
            solved += counters.number("rcvd_solved_ip_id");
            refused += counters.number("rx_icrc_encapsulated");
        } catch (IOException | RdmaException _) {
            // The process has failed, and its scenario reports it; its counters are lost.
        }
    }

    /**
     * Checks the counters; returns a summary.
     *
     * @param hidden whether the transport hides the identification
     * @throws Mismatch if a packet was rejected, or identifications were determined without need or not at all
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
