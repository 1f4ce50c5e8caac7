package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.QpCapabilities;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Programs have one outcome, and everything in them. */
class ProgramTest {
    private static final QpCapabilities QUEUES = new QpCapabilities(15, 15, 4, 4, 64);

    private static final List<Door.Kind> DOORS = List.of(Door.Kind.values());

    private static Program program(long seed) {
        return program(seed, Service.RC, Service.RC.kinds());
    }

    private static Program program(long seed, Service service, Set<StepKind> served) {
        Scenario scenario = Scenario.of(seed).withMessages(60).withSizes(0, 8 << 20);
        int mtuBytes = Mtu.MTU_1024.bytes();
        int maxBytes = service == Service.UD ? mtuBytes : scenario.maxBytes();
        boolean own = service == Service.RC;
        List<Door.Kind> doors = own ? DOORS : List.of(Door.Kind.REGION);
        int crimes = service.isReliable() ? 3 : 0;
        Terms terms = new Terms(service, served, mtuBytes, QUEUES, QUEUES, maxBytes, own, doors, crimes);
        return ProgramAuthor.write(seed, scenario, terms);
    }

    @Test
    void whateverChangesWhatIsBeingReadIsFenced() {
        int conflicts = 0;
        for (int seed = 0; seed < 50; seed++) {
            Program program = program(seed);
            List<Step> reads = new ArrayList<>();
            for (int i = 0; i < program.count(); i++) {
                Step step = program.step(i);
                if (step.crime() == null
                        && step.kind().changesRemote()
                        && reads.stream().anyMatch(step::overlaps)) {
                    assertThat(step.has(StepFlag.FENCED)).as(step.toString()).isTrue();
                    conflicts++;
                }
                if (step.has(StepFlag.FENCED)) {
                    reads.clear();
                }
                if (step.crime() == null && step.kind().isRead()) {
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
            Program program = program(seed);
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
            Program program = program(seed);
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
            Program program = program(seed);
            int[] closed = new int[program.terms().doors().size()];
            for (Step step : program.steps()) {
                if (step.crime() == null
                        && (step.kind().isRemote() || step.kind().invalidates())) {
                    int door = step.door().number();
                    assertThat(step.door().closedBefore()).as(step.toString()).isEqualTo(closed[door]);
                    boolean closes = step.kind() == StepKind.SEND_WITH_INVALIDATE || step.has(StepFlag.CLOSES);
                    closed[door] += closes ? 1 : 0;
                    closings += closes ? 1 : 0;
                }
            }
        }
        assertThat(closings).isGreaterThan(20);
    }

    @Test
    void aKeyIsTakenBackOnlyBehindTheReadsThatUseIt() {
        for (int seed = 0; seed < 50; seed++) {
            Set<Step.DoorUse> reading = new HashSet<>();
            for (Step step : program(seed).steps()) {
                if (step.kind() == StepKind.SEND_WITH_INVALIDATE && reading.contains(step.door())) {
                    assertThat(step.has(StepFlag.FENCED)).as(step.toString()).isTrue();
                }
                if (step.has(StepFlag.FENCED)) {
                    reading.clear();
                }
                if (step.kind().isRead() && step.crime() == null) {
                    reading.add(step.door());
                }
            }
        }
    }

    @Test
    void everyCrimeIsCommittedAndOnlyWhatIsServedElse() {
        Set<StepKind> served = EnumSet.complementOf(EnumSet.of(StepKind.READ, StepKind.READ_WITH_INVALIDATE));
        Set<Crime> crimes = EnumSet.noneOf(Crime.class);
        for (int seed = 0; seed < 50; seed++) {
            for (Step step : program(seed, Service.RC, served).steps()) {
                if (step.crime() != null) {
                    crimes.add(step.crime());
                }
                assertThat(served.contains(step.kind())).isEqualTo(step.crime() != Crime.UNSERVED);
            }
        }
        assertThat(crimes).containsExactlyInAnyOrder(Crime.values());
    }

    @Test
    void writesThatMayGetLostHaveMemoryOfTheirOwn() {
        for (int seed = 0; seed < 20; seed++) {
            List<Step> writes = new ArrayList<>();
            for (Step step : program(seed, Service.UC, Service.UC.kinds()).steps()) {
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
        Program program = program(1, Service.UD, Service.UD.kinds());
        assertThat(program.mostPackets()).isEqualTo(1);
        assertThat(program.steps()).extracting(Step::kind).containsOnly(StepKind.SEND, StepKind.SEND_WITH_IMMEDIATE);
    }
}
