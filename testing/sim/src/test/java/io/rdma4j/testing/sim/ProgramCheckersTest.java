// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.links.BurstLoss;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.run.ProgramRun;
import io.rdma4j.testing.sim.world.PacketHook;
import io.rdma4j.testing.sim.world.SimNetwork;
import io.rdma4j.wire.Aeth;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Syndrome;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Proves that the program checkers detect forbidden changes of the network, and that a seed determines a run. */
class ProgramCheckersTest {
    private static final LinkProfile BAD = LinkProfile.PERFECT
            .withLoss(0.05)
            .withDuplication(0.05)
            .withReordering(0.05, 50_000)
            .withBursts(new BurstLoss(0.005, 0.2));

    /** Violations of several runs. */
    private static List<String> violations(Consumer<SimNetwork> tampering) {
        List<String> violations = new ArrayList<>();
        for (int seed = 0; seed < 10; seed++) {
            SimScenario scenario = SimScenario.of(seed).withMessages(20).withSizes(0, 2000);
            violations.addAll(new ProgramRun(scenario).prepare(tampering).run().violations());
        }
        return violations;
    }

    @Test
    void bytesThatChangeOnTheWayAreFound() {
        assertThat(violations(network -> network.link(0, 1).hook(Tampering.flipPayload())))
                .anyMatch(text -> text.contains("is complete, and yet"))
                .anyMatch(text -> text.contains(", received: "))
                .anyMatch(text -> text.contains("fits none of the messages"));
    }

    @Test
    void answersThatChangeOnTheWayAreFound() {
        assertThat(violations(network -> network.link(1, 0).hook(Tampering.flipAnswers())))
                .anyMatch(text -> text.contains("has brought"));
    }

    @Test
    void whatIsAcknowledgedAndWasLostIsFound() {
        assertThat(violations(network -> Tampering.acknowledgeWhatWasLost(network.link(0, 1), network.link(1, 0))))
                .anyMatch(text -> text.contains("is complete, and yet")
                        || text.contains("but the peer has received only")
                        || text.contains("but the peer has carried out only"));
    }

    @Test
    void aNetworkThatCarriesNothingIsFound() {
        assertThat(violations(network -> network.link(0, 1).hook(packet -> false)))
                .allMatch(text -> text.contains("the messages never arrived"))
                .isNotEmpty();
    }

    @Test
    void connectionsAreKilledAndMadeAnew() {
        int revivals = 0;
        for (int seed = 0; seed < 20; seed++) {
            revivals += ProgramSeedsTest.run(SimScenario.of(seed).withLink(BAD).withSizes(0, 20_000))
                    .revivals();
        }
        assertThat(revivals).isGreaterThan(5);
    }

    /**
     * Covers every send operation that the programs do not use, and every rejection by a peer that checks its memory.
     */
    @Test
    void everyPacketThatThereIsGoesOverTheNetwork() {
        Set<Opcode> seen = EnumSet.noneOf(Opcode.class);
        Set<NakCode> refusals = EnumSet.noneOf(NakCode.class);
        PacketHook collect = packet -> {
            int bth = (Ipv4.version(packet, 0) == Ipv4.VERSION ? Ipv4.BYTES : Ipv6.BYTES) + Udp.BYTES;
            Opcode opcode = Objects.requireNonNull(Bth.opcode(packet, bth));
            seen.add(opcode);
            if (opcode == Opcode.RC_ACKNOWLEDGE) {
                NakCode nak = Syndrome.nakCode(Aeth.syndrome(packet, bth + opcode.offsetOf(Header.AETH)));
                if (nak != null) {
                    refusals.add(nak);
                }
            }
            return true;
        };
        for (int seed = 0; seed < 100; seed++) {
            new ProgramRun(SimScenario.of(seed).withSizes(0, 20_000))
                    .prepare(network -> {
                        network.link(0, 1).hook(collect);
                        network.link(1, 0).hook(collect);
                    })
                    .run();
        }
        assertThat(Opcode.values())
                .filteredOn(opcode -> !seen.contains(opcode))
                .containsExactlyInAnyOrder(
                        Opcode.CNP, Opcode.XRC_SEND_LAST_INVALIDATE, Opcode.XRC_SEND_ONLY_INVALIDATE);
        assertThat(refusals).contains(NakCode.REMOTE_ACCESS_ERROR, NakCode.INVALID_REQUEST);
    }

    @Test
    void theSameSeedGivesTheSameRunToTheLastBit() {
        for (int seed = 0; seed < 5; seed++) {
            SimScenario scenario = SimScenario.of(seed).withLink(BAD).withSizes(0, 20_000);
            RunResult first = ProgramSeedsTest.run(scenario);
            RunResult second = ProgramSeedsTest.run(scenario);
            assertThat(second.traceHash()).isEqualTo(first.traceHash());
            assertThat(second.elapsedNs()).isEqualTo(first.elapsedNs());
        }
    }
}
