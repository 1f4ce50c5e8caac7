package io.rdma4j.testing.sim;

import io.rdma4j.net.link.LinkStats;
import io.rdma4j.rxe.RxePort;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * How a scenario ended.
 *
 * @param scenario what was run
 * @param messages received, or steps of programs completed, both directions together; or packets forged
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
        List<String> trace) {
    /** Adds up what the hosts have counted. */
    static RunResult of(Scenario scenario, Simulation simulation, Report report, int messages) {
        return new RunResult(
                scenario,
                messages,
                report.count(TraceKind.REVIVED),
                sum(simulation, port -> port.counters().sentPackets),
                sum(simulation, port -> port.counters().retransmittedPackets),
                sum(simulation, port -> port.counters().receivedRnrNaks),
                sum(simulation, port -> port.counters().receivedSequenceNaks),
                sum(simulation, port -> port.inputCounters().dropped()),
                simulation.network().stats(),
                simulation.clock().elapsedNs(),
                simulation.trace().hash(),
                report.violations(),
                report.isClean() ? List.of() : simulation.trace().lines());
    }

    private static long sum(Simulation simulation, ToLongFunction<RxePort> counter) {
        return simulation.hosts().stream()
                .mapToLong(host -> counter.applyAsLong(host.port()))
                .sum();
    }
}
