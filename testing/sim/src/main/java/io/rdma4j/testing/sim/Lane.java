package io.rdma4j.testing.sim;

import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One direction of a connection: a program, who runs it, who is its target, and the model of what it brings about. */
abstract class Lane {
    /**
     * Who and what it is between.
     *
     * @param from who runs the program
     * @param to whose memory it works on
     * @param targetWords shared words of the target's host
     * @param words the same as registered at the target
     * @param forbidden what the program must leave alone
     * @param slots where messages are received, if it is not said for each
     * @param disorder what the network may do to messages of an unreliable service
     */
    record Parts(
            Program program,
            Endpoint from,
            Endpoint to,
            SharedWords targetWords,
            MemoryRegion words,
            StepPoster.Forbidden forbidden,
            @Nullable ReceiveSlots slots,
            PoolTarget.Disorder disorder) {}

    private final Parts parts;
    private final ProgramMemory memory;
    private final Doors doors;
    private final SplittableRandom random;
    private final Report report;
    private final Target target;
    private @Nullable Initiator initiator;

    Lane(Parts parts, long seed, Report report) {
        this.parts = parts;
        this.random = new SplittableRandom(seed);
        this.report = report;
        memory = new ProgramMemory(parts.program(), parts.from(), parts.to(), parts.targetWords());
        doors = new Doors(parts.program(), memory, parts.from(), parts.to(), random);
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

    static Lane of(Parts parts, long seed, Report report) {
        return parts.from().service().isReliable()
                ? new ReliableLane(parts, seed, report)
                : new UnreliableLane(parts, seed, report);
    }

    /** Both directions are there: who runs the program looks after the doors to its own memory, those of {@code back}. */
    void begin(Lane back) {
        StepPoster requests = new StepPoster(parts.from(), memory, parts.words(), doors, parts.forbidden());
        List<Door> own = new ArrayList<>(back.doors.remote());
        own.addAll(doors.own());
        initiator = new Initiator(
                parts.from(),
                parts.program(),
                parts.targetWords(),
                requests,
                doors,
                new Chores(parts.from(), own, report),
                this::onSuccess,
                random.nextLong(),
                report);
    }

    /** A step has succeeded. */
    abstract void onSuccess(Step step);

    /** A message has been received. */
    abstract void onMessage(Step step, WorkCompletion wc);

    /** Nothing completes before it has happened: all completions there are have been polled. */
    abstract void checkCausality();

    /**
     * Both ends are in ERR and nothing is under way: looks at what has happened, and goes on behind it.
     *
     * @param firstPsn of the first step of the connection
     */
    abstract void resume(int firstPsn);

    /** Every byte of every region. */
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

    Program program() {
        return parts.program();
    }

    Endpoint initiatorEnd() {
        return parts.from();
    }

    Endpoint targetEnd() {
        return parts.to();
    }

    ProgramMemory memory() {
        return memory;
    }

    Doors doors() {
        return doors;
    }

    Report report() {
        return report;
    }

    boolean isDone() {
        return initiator().isDone() && target.isDone();
    }

    /** True if everything that was posted has come back. */
    boolean isIdle() {
        return initiator().isIdle() && target.isIdle();
    }

    void checkEnd() {
        checkMemory();
        target.checkEnd();
    }

    void check(Endpoint at, String what, CheckedMemory checked) {
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
