package io.rdma4j.testing.sim;

import java.util.List;

/**
 * How a scenario ended.
 *
 * @param scenario what was run
 * @param messages received, or steps of programs completed, both directions together
 * @param revivals connections killed and made anew
 * @param packets sent by both hosts, retransmissions and answers included
 * @param retransmitted packets sent again
 * @param rnrNaks RNR NAKs received by both hosts
 * @param sequenceNaks sequence error NAKs received by both hosts
 * @param badPackets packets that the hosts refused before they reached a queue pair
 * @param network what became of the packets
 * @param elapsedNs virtual time
 * @param traceHash stands for every single event: equal for equal runs
 * @param violations what was wrong; empty if all was well
 * @param trace the last events, oldest first
 */
public record RunResult(
        Scenario scenario,
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
