package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.QpCapabilities;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Programs have one outcome, and everything in them. */
class ProgramTest {
    private static final QpCapabilities QUEUES = new QpCapabilities(15, 15, 4, 4, 64);

    private static Program program(long seed) {
        Scenario scenario = Scenario.of(seed).withMessages(60).withSizes(0, 8 << 20);
        return new Program(seed, scenario, Mtu.MTU_1024.bytes(), QUEUES, QUEUES);
    }

    @Test
    void whateverChangesWhatIsBeingReadIsFenced() {
        int conflicts = 0;
        for (int seed = 0; seed < 50; seed++) {
            Program program = program(seed);
            List<Step> reads = new ArrayList<>();
            for (int i = 0; i < program.count(); i++) {
                Step step = program.step(i);
                if (step.kind().changesRemote() && reads.stream().anyMatch(step::overlaps)) {
                    assertThat(step.fenced()).as(step.toString()).isTrue();
                    conflicts++;
                }
                if (step.fenced()) {
                    reads.clear();
                }
                if (step.kind() == StepKind.READ) {
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
                if (step.forwards()) {
                    assertThat(step.fenced()).isTrue();
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
        assertThat(longest).isBetween(4 << 20, 8 << 20);
    }
}
