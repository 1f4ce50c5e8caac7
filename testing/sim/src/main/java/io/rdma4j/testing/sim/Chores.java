package io.rdma4j.testing.sim;

import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WorkCompletion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is to be done about the doors of one side, by work requests of the queue pair that sends: one at a time, signalled. */
final class Chores {
    /** What the numbers of these requests have besides. */
    static final long WR_ID_MARK = 1L << 41;

    private final Endpoint own;
    private final List<Door> doors;
    private final Report report;
    private @Nullable Door busy;
    private int stepsBefore;

    /** @param doors that lead to memory of this side */
    Chores(Endpoint own, List<Door> doors, Report report) {
        this.own = own;
        this.doors =
                doors.stream().filter(door -> door.kind() != Door.Kind.REGION).toList();
        this.report = report;
    }

    /** Places in the send queue that must be kept free for them. */
    int slots() {
        return doors.isEmpty() ? 0 : 1;
    }

    boolean isIdle() {
        return busy == null;
    }

    /** @param posted steps posted so far */
    boolean act(int posted) {
        for (Door door : doors) {
            if (busy == null && door.hasChore()) {
                busy = door;
                stepsBefore = posted;
                door.postChore(own.qp(), WR_ID_MARK);
                return true;
            }
        }
        return false;
    }

    /** True if a step that was posted after the one under way is complete before it. */
    boolean isOvertakenBy(int step) {
        return busy != null && step >= stepsBefore;
    }

    /**
     * @param flushed the connection is being killed
     * @param dueStep the next step that completes visibly
     */
    void onCompletion(WorkCompletion wc, boolean flushed, int dueStep) {
        Door door = busy;
        boolean sound = door != null
                && (flushed
                        || wc.status() == WcStatus.SUCCESS
                                && wc.opcode() == door.choreOpcode()
                                && dueStep >= stepsBefore);
        if (door == null || !sound) {
            report.violation("%s: completion %s, while at work on %s".formatted(own, wc, door));
            return;
        }
        busy = null;
        if (flushed) {
            door.onChoreFlushed();
        } else {
            door.onChoreDone();
        }
    }

    @Override
    public String toString() {
        return doors.isEmpty() ? "" : ", doors " + doors;
    }
}
