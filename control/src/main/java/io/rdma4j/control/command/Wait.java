package io.rdma4j.control.command;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.control.Machine;
import io.rdma4j.net.loop.NetLoop;
import io.rdma4j.net.loop.ProgressMode;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Waits for what happens on a machine, and works for it meanwhile. */
final class Wait {
    private Wait() {}

    /** @throws RdmaException EOPNOTSUPP if the machine is driven by hand: nothing would ever happen */
    static void check(Machine machine) {
        if (machine.mode() != ProgressMode.AUTOMATIC) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP,
                    machine + " is driven by hand, so that no command can wait for what happens on it");
        }
    }

    /**
     * Asks {@code look} again and again.
     *
     * @param timeoutNs how long at most
     * @return what it answers; null if it had no answer in time, or the thread was interrupted
     */
    static <T> @Nullable T until(Machine machine, long timeoutNs, Supplier<@Nullable T> look) {
        NetLoop loop = machine.loop();
        long deadlineNs = Deadline.after(loop.clock().nanoTime(), timeoutNs);
        T answer = look.get();
        while (answer == null
                && !Thread.currentThread().isInterrupted()
                && !Deadline.isDue(deadlineNs, loop.clock().nanoTime())) {
            loop.poll();
            answer = look.get();
        }
        return answer;
    }
}
