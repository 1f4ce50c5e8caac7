// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import io.rdma4j.links.LinkStats;
import java.util.List;

/**
 * Result of a scenario.
 *
 * @param scenario the scenario that was run
 * @param messages messages received, or steps of programs completed, in all directions together; or packets forged
 * @param revivals connections that were broken and connected again
 * @param packets packets sent by all hosts, including retransmissions and responses
 * @param retransmitted packets sent again
 * @param rnrNaks RNR NAKs received by all hosts
 * @param sequenceNaks sequence error NAKs received by all hosts
 * @param badPackets packets that the hosts rejected before they reached a queue pair
 * @param network numbers of packets that the links delivered, lost and changed
 * @param elapsedNs virtual time
 * @param traceHash hash of every event: equal for equal runs
 * @param violations descriptions of the violations found; empty if the run is correct
 * @param trace the last events, oldest first
 */
public record RunResult(
        SimScenario scenario,
        int messages,
        int revivals,
        long packets,
        long retransmitted,
        long rnrNaks,
        long sequenceNaks,
        long badPackets,
        LinkStats network,
        long elapsedNs,
        long traceHash,
        List<String> violations,
        List<String> trace) {}
