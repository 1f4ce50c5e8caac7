package io.rdma4j.testing.sim;

import io.rdma4j.net.link.LinkStats;
import java.util.List;

/**
 * How a scenario ended.
 *
 * @param scenario what was run
 * @param messages received, or steps of programs completed, all directions together; or packets forged
 * @param revivals connections killed and made anew
 * @param packets sent by all hosts, retransmissions and answers included
 * @param retransmitted packets sent again
 * @param rnrNaks RNR NAKs received by all hosts
 * @param sequenceNaks sequence error NAKs received by all hosts
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
        List<String> trace) {
    /** Adds up what the hosts have counted. */
    static RunResult of(Scenario scenario, World world, Report report, int messages) {
        return new RunResult(
                scenario,
                messages,
                report.count(TraceKind.REVIVED),
                world.sent(),
                world.sum(port -> port.counters().retransmittedPackets),
                world.sum(port -> port.counters().receivedRnrNaks),
                world.sum(port -> port.counters().receivedSequenceNaks),
                world.sum(port -> port.inputCounters().dropped()),
                world.linkStats(),
                world.clock().elapsedNs(),
                world.trace().hash(),
                report.violations(),
                report.isClean() ? List.of() : world.trace().lines());
    }
}
