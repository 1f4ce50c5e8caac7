// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.Psn;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.SignalType;
import java.util.SplittableRandom;

/**
 * Values that the seed determines for a scenario.
 *
 * @param ipv6 whether the hosts use IPv6
 * @param pathMtu payload of a full packet
 * @param capabilities sizes of both queue pairs
 * @param signalType whether all sends are signalled
 * @param sharedCq whether sends and receives use one completion queue
 * @param timeout ACK timeout code
 * @param minRnrTimer RNR timer code
 * @param firstPsn of the first host's requests
 * @param peerFirstPsn of the second host's requests
 */
public record Choices(
        boolean ipv6,
        Mtu pathMtu,
        QpCapabilities capabilities,
        SignalType signalType,
        boolean sharedCq,
        int timeout,
        int minRnrTimer,
        int firstPsn,
        int peerFirstPsn) {
    private static final int PURPOSE = 1;
    private static final int MAX_DEPTH_LOG2 = 5;
    private static final int QUEUE_BYTES = 1 << 23;
    private static final int MAX_SGE = 5;
    private static final int MAX_INLINE_BYTES = 220;
    private static final int MAX_RNR_TIMER = 16;
    private static final long TIMEOUT_UNIT_NS = 4096;
    private static final int MAX_TIMEOUT = 20;

    /** Requests of prompt applications that are outstanding at most. */
    private static final int PROMPT_DEPTH = 31;

    /** ACK timeout of prompt applications, 67 ms, as perftest sets it. */
    private static final int PROMPT_TIMEOUT = 14;

    /** RNR timer of prompt applications, 0.64 ms, as rdma-core's examples set it. */
    private static final int PROMPT_RNR_TIMER = 12;

    public static Choices of(SimScenario scenario) {
        return of(scenario, scenario.maxBytes());
    }

    /** @param slotBytes memory for each slot of a queue */
    public static Choices of(SimScenario scenario, int slotBytes) {
        SplittableRandom random = Seeds.stream(scenario.seed(), PURPOSE);
        Mtu anyMtu = Mtu.ofCode(random.nextInt(Mtu.MTU_256.code(), Mtu.MTU_4096.code() + 1));
        Mtu mtu = scenario.pathMtu();
        Choices drawn = new Choices(
                random.nextBoolean(),
                mtu == null ? anyMtu : mtu,
                new QpCapabilities(
                        depth(scenario, slotBytes, random),
                        depth(scenario, slotBytes, random),
                        random.nextInt(1, MAX_SGE),
                        random.nextInt(1, MAX_SGE),
                        random.nextInt(0, MAX_INLINE_BYTES)),
                random.nextInt(4) == 0 ? SignalType.ALL_WR : SignalType.REQ_WR,
                random.nextBoolean(),
                timeout(scenario.link(), random),
                random.nextInt(1, MAX_RNR_TIMER),
                firstPsn(scenario, random),
                firstPsn(scenario, random));
        return scenario.prompt() ? drawn.prompt() : drawn;
    }

    /** Both queues have one depth, so that a sender never finds its peer's receive queue empty. */
    private Choices prompt() {
        QpCapabilities queues = new QpCapabilities(
                PROMPT_DEPTH,
                PROMPT_DEPTH,
                capabilities.maxSendSge(),
                capabilities.maxReceiveSge(),
                capabilities.maxInlineData());
        return new Choices(
                ipv6, pathMtu, queues, signalType, sharedCq, PROMPT_TIMEOUT, PROMPT_RNR_TIMER, firstPsn, peerFirstPsn);
    }

    /** Limits: all messages must not fit into the queue at once, and the memory must suffice. */
    private static int depth(SimScenario scenario, int slotBytes, SplittableRandom random) {
        int wanted = (1 << random.nextInt(1, MAX_DEPTH_LOG2 + 1)) - 1;
        int byMessages = Math.max(1, scenario.messages() / 3);
        int byMemory = Math.max(1, QUEUE_BYTES / Math.max(1, slotBytes));
        return Math.min(wanted, Math.min(byMessages, byMemory));
    }

    /** Ranges from slightly less than a round trip, which causes spurious retransmissions, to much more. */
    private static int timeout(LinkProfile link, SplittableRandom random) {
        long roundTripNs = 2 * link.latencyNs();
        int code = 1;
        while (code < MAX_TIMEOUT && TIMEOUT_UNIT_NS << code < roundTripNs) {
            code++;
        }
        return Math.clamp(code + random.nextInt(-1, 9), 1, MAX_TIMEOUT);
    }

    /** Half of the PSNs are so close to 2^24 that they wrap during the run. */
    private static int firstPsn(SimScenario scenario, SplittableRandom random) {
        int anywhere = random.nextInt(Psn.MASK + 1);
        int nearTheEnd = Psn.MASK - random.nextInt(Math.min(scenario.messages(), Psn.MASK));
        Integer given = scenario.firstPsn();
        if (given != null) {
            return given;
        }
        return random.nextBoolean() ? anywhere : nearTheEnd;
    }

    /** Address of a host, by its index. */
    public Gid address(int index) {
        return ipv6 ? new Gid(0xFD00_0000_0000_0000L, index + 1) : Gid.ofIpv4(0x0A00_0001 + index);
    }
}
