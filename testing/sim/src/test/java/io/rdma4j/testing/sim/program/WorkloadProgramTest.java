// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.world.Service;
import io.rdma4j.verbs.values.QpCapabilities;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that programs have one result and contain all operations. */
class WorkloadProgramTest {
    private static final QpCapabilities QUEUES = new QpCapabilities(15, 15, 4, 4, 64);

    private static final List<KeyedAccess.Kind> ACCESSES = List.of(KeyedAccess.Kind.values());

    private static WorkloadProgram program(long seed) {
        return program(seed, Service.RC, StepKind.of(Service.RC));
    }

    private static WorkloadProgram program(long seed, Service service, Set<StepKind> served) {
        SimScenario scenario = SimScenario.of(seed).withMessages(60).withSizes(0, 8 << 20);
        int mtuBytes = Mtu.MTU_1024.bytes();
        int maxBytes = service == Service.UD ? mtuBytes : scenario.maxBytes();
        boolean own = service == Service.RC;
        List<KeyedAccess.Kind> accesses = own ? ACCESSES : List.of(KeyedAccess.Kind.REGION);
        int violations = service.isReliable() ? 3 : 0;
        ProgramLimits limits =
                new ProgramLimits(service, served, mtuBytes, QUEUES, QUEUES, maxBytes, own, accesses, violations);
        return ProgramAuthor.write(seed, scenario, limits);
    }

    @Test
    void whateverChangesWhatIsBeingReadIsFenced() {
        int conflicts = 0;
        for (int seed = 0; seed < 50; seed++) {
            WorkloadProgram program = program(seed);
            List<Step> reads = new ArrayList<>();
            for (int i = 0; i < program.count(); i++) {
                Step step = program.step(i);
                if (step.violation() == null
                        && step.kind().changesRemote()
                        && reads.stream().anyMatch(step::overlaps)) {
                    assertThat(step.has(StepFlag.FENCED)).as(step.toString()).isTrue();
                    conflicts++;
                }
                if (step.has(StepFlag.FENCED)) {
                    reads.clear();
                }
                if (step.violation() == null && step.kind().isRead()) {
                    reads.add(step);
                }
            }
        }
        assertThat(conflicts).isPositive();
    }

    @Test
    void whatSendsOnWhatAReadBringsIsFenced() {
        int forwards = 0;
        for (int seed = 0; seed < 20; seed++) {
            WorkloadProgram program = program(seed);
            for (int i = 0; i < program.count(); i++) {
                Step step = program.step(i);
                if (step.has(StepFlag.FORWARDS)) {
                    assertThat(step.has(StepFlag.FENCED)).isTrue();
                    forwards++;
                }
            }
        }
        assertThat(forwards).isPositive();
    }

    @Test
    void everyKindOfStepAndEverySizeIsThere() {
        Set<StepKind> kinds = EnumSet.noneOf(StepKind.class);
        int shortest = Integer.MAX_VALUE;
        int longest = 0;
        for (int seed = 0; seed < 200; seed++) {
            WorkloadProgram program = program(seed);
            for (int i = 0; i < program.count(); i++) {
                kinds.add(program.step(i).kind());
                shortest = Math.min(shortest, program.step(i).length());
                longest = Math.max(longest, program.step(i).length());
            }
        }
        assertThat(kinds).containsExactlyInAnyOrder(StepKind.values());
        assertThat(shortest).isZero();
        assertThat(longest).isBetween(2 << 20, 8 << 20);
    }

    @Test
    void eachUseOfADoorKnowsHowOftenItWasClosedBefore() {
        int closings = 0;
        for (int seed = 0; seed < 20; seed++) {
            WorkloadProgram program = program(seed);
            int[] closed = new int[program.limits().accesses().size()];
            for (Step step : program.steps()) {
                if (step.violation() == null
                        && (step.kind().isRemote() || step.kind().invalidates())) {
                    int access = step.access().number();
                    assertThat(step.access().closedBefore()).as(step.toString()).isEqualTo(closed[access]);
                    boolean closes = step.kind() == StepKind.SEND_WITH_INVALIDATE || step.has(StepFlag.CLOSES);
                    closed[access] += closes ? 1 : 0;
                    closings += closes ? 1 : 0;
                }
            }
        }
        assertThat(closings).isGreaterThan(20);
    }

    @Test
    void aKeyIsTakenBackOnlyBehindTheReadsThatUseIt() {
        for (int seed = 0; seed < 50; seed++) {
            Set<Step.AccessUse> reading = new HashSet<>();
            for (Step step : program(seed).steps()) {
                if (step.kind() == StepKind.SEND_WITH_INVALIDATE && reading.contains(step.access())) {
                    assertThat(step.has(StepFlag.FENCED)).as(step.toString()).isTrue();
                }
                if (step.has(StepFlag.FENCED)) {
                    reading.clear();
                }
                if (step.kind().isRead() && step.violation() == null) {
                    reading.add(step.access());
                }
            }
        }
    }

    @Test
    void everyCrimeIsCommittedAndOnlyWhatIsServedElse() {
        Set<StepKind> served = EnumSet.complementOf(EnumSet.of(StepKind.READ, StepKind.READ_WITH_INVALIDATE));
        Set<ProtocolViolation> violations = EnumSet.noneOf(ProtocolViolation.class);
        for (int seed = 0; seed < 50; seed++) {
            for (Step step : program(seed, Service.RC, served).steps()) {
                if (step.violation() != null) {
                    violations.add(step.violation());
                }
                assertThat(served.contains(step.kind())).isEqualTo(step.violation() != ProtocolViolation.UNSERVED);
            }
        }
        assertThat(violations).containsExactlyInAnyOrder(ProtocolViolation.values());
    }

    @Test
    void writesThatMayGetLostHaveMemoryOfTheirOwn() {
        for (int seed = 0; seed < 20; seed++) {
            List<Step> writes = new ArrayList<>();
            for (Step step : program(seed, Service.UC, StepKind.of(Service.UC)).steps()) {
                if (step.kind().isWrite()) {
                    assertThat(writes).noneMatch(step::overlaps);
                    writes.add(step);
                }
            }
            assertThat(writes).isNotEmpty();
        }
    }

    @Test
    void datagramsFitOnePacket() {
        WorkloadProgram program = program(1, Service.UD, StepKind.of(Service.UD));
        assertThat(program.mostPackets()).isEqualTo(1);
        assertThat(program.steps()).extracting(Step::kind).containsOnly(StepKind.SEND, StepKind.SEND_WITH_IMMEDIATE);
    }
}
