package io.rdma4j.testing.sim;

import io.rdma4j.verbs.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The doors that a program uses: to the peer's region, and perhaps one to the memory of its own where answers land. */
final class Doors {
    private final List<Door> remote = new ArrayList<>();
    private final @Nullable Door landing;

    /**
     * @param initiator who runs the program
     * @param target who owns the peer's region
     */
    Doors(Program program, ProgramMemory memory, Endpoint initiator, Endpoint target, SplittableRandom random) {
        MemoryRegion region = memory.remote().region();
        for (Door.Kind kind : program.terms().doors()) {
            remote.add(target.closing(new Door(kind, target.protectionDomain(), region, random.split())));
        }
        landing = program.hasLandingDoor()
                ? initiator.closing(new Door(
                        Door.Kind.FAST_REGION,
                        initiator.protectionDomain(),
                        memory.local().region(),
                        random.split()))
                : null;
    }

    /** To the peer's region; the peer looks after them. */
    List<Door> remote() {
        return remote;
    }

    /** What its own side looks after. */
    List<Door> own() {
        return landing == null ? List.of() : List.of(landing);
    }

    Door of(Step step) {
        return remote.get(step.door().number());
    }

    /** Where the answer of a READ that takes back a key lands. */
    Door landing() {
        if (landing == null) {
            throw new IllegalStateException("the program lands nothing through a door");
        }
        return landing;
    }

    /** True if a step may be posted now: what it needs is open. */
    boolean isReady(Step step) {
        return of(step).isOpen(step.door().closedBefore())
                && (step.landing() < 0 || landing().isOpen(step.landing()));
    }

    /** A step has succeeded, or has been carried out at least: doors that it was the last to use are given free. */
    void onSuccess(Step step) {
        if (step.has(StepFlag.CLOSES)) {
            of(step).release();
        }
    }
}
