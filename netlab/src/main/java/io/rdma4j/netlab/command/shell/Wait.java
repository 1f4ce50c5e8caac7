// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.shell;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.netlab.Machine;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Waits for an event on a machine; the calling thread runs the machine's loop in the meantime. */
public final class Wait {
    private Wait() {}

    /** @throws RdmaException EOPNOTSUPP if the machine is in manual mode: no thread would drive it */
    public static void check(Machine machine) {
        if (machine.mode() != ProgressMode.AUTOMATIC) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP,
                    machine + " is driven by hand, so that no command can wait for what happens on it");
        }
    }

    /**
     * Calls {@code look} repeatedly, at least once.
     *
     * @return the first result that is not null; null after the timeout or an interrupt
     */
    public static <T> @Nullable T until(Machine machine, long timeoutNs, Supplier<@Nullable T> look) {
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
