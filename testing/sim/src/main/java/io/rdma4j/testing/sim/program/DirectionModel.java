// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.CheckedMemory;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One direction of a connection: a program, its initiator, its target, and the model of its effects. */
abstract class DirectionModel {
    /**
     * Parts of a direction.
     *
     * @param from endpoint that runs the program
     * @param to endpoint whose memory the program accesses
     * @param targetWords shared words of the target's host
     * @param words the same as registered at the target
     * @param forbidden regions that the program must not access
     * @param slots receive slots, if steps do not have receives of their own
     * @param disorder duplication and reordering of the network, for messages of an unreliable service
     */
    record Parts(
            WorkloadProgram program,
            SimEndpoint from,
            SimEndpoint to,
            SharedWords targetWords,
            MemoryRegion words,
            StepPoster.Forbidden forbidden,
            @Nullable ReceiveSlots slots,
            PoolTarget.Disorder disorder) {}

    private final Parts parts;
    private final ProgramMemory memory;
    private final KeyedAccesses accesses;
    private final SplittableRandom random;
    private final RunReport report;
    private final Target target;
    private @Nullable Initiator initiator;

    DirectionModel(Parts parts, long seed, RunReport report) {
        this.parts = parts;
        this.random = new SplittableRandom(seed);
        this.report = report;
        memory = new ProgramMemory(parts.program(), parts.from(), parts.to(), parts.targetWords());
        accesses = new KeyedAccesses(parts.program(), memory, parts.from(), parts.to(), random);
        ReceiveSlots slots = parts.slots();
        target = slots == null
                ? new OrderedTarget(parts.to(), parts.program(), memory, this::onMessage, random.nextLong(), report)
                : new PoolTarget(
                        parts.to(),
                        parts.program(),
                        memory,
                        slots,
                        parts.disorder(),
                        this::posted,
                        this::onMessage,
                        report);
    }

    static DirectionModel of(Parts parts, long seed, RunReport report) {
        return parts.from().service().isReliable()
                ? new ReliableDirection(parts, seed, report)
                : new UnreliableDirection(parts, seed, report);
    }

    /**
     * Starts this direction; both directions exist. The initiator also maintains the keyed accesses to its own memory,
     * which {@code back} uses.
     */
    void begin(DirectionModel back) {
        StepPoster requests = new StepPoster(parts.from(), memory, parts.words(), accesses, parts.forbidden());
        List<KeyedAccess> own = new ArrayList<>(back.accesses.remote());
        own.addAll(accesses.own());
        initiator = new Initiator(
                parts.from(),
                parts.program(),
                parts.targetWords(),
                requests,
                accesses,
                new KeyMaintenance(parts.from(), own, report),
                this::onSuccess,
                random.nextLong(),
                report);
    }

    /** Handles the success of a step. */
    abstract void onSuccess(Step step);

    /** Handles a received message. */
    abstract void onMessage(Step step, WorkCompletion wc);

    /** Checks, after all completions are polled, that no step completed before its effect. */
    abstract void checkCausality();

    /**
     * Checks the executed steps and continues behind them. Both ends are in ERR, and no packet is in flight.
     *
     * @param firstPsn of the first step of the connection
     */
    abstract void resume(int firstPsn);

    /** Compares every byte of every region with the model. */
    abstract void checkMemory();

    Initiator initiator() {
        if (initiator == null) {
            throw new IllegalStateException("not begun");
        }
        return initiator;
    }

    private int posted() {
        return initiator().next();
    }

    Target target() {
        return target;
    }

    WorkloadProgram program() {
        return parts.program();
    }

    SimEndpoint initiatorEnd() {
        return parts.from();
    }

    SimEndpoint targetEnd() {
        return parts.to();
    }

    ProgramMemory memory() {
        return memory;
    }

    KeyedAccesses accesses() {
        return accesses;
    }

    RunReport report() {
        return report;
    }

    boolean isDone() {
        return initiator().isDone() && target.isDone();
    }

    /** True if all posted requests have completed. */
    boolean isIdle() {
        return initiator().isIdle() && target.isIdle();
    }

    void checkEnd() {
        checkMemory();
        target.checkEnd();
    }

    void check(SimEndpoint at, String what, CheckedMemory checked) {
        String wrong = checked.difference();
        if (!wrong.isEmpty()) {
            report.violation("%s: %s: %s".formatted(at, what, wrong));
        }
    }

    @Override
    public String toString() {
        return initiator + ", " + target;
    }
}
