// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.pool;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Describes a lease that is not closed: either lost (unreachable), or still open.
 *
 * @param lengthBytes requested length
 * @param thread name of the thread that took it
 * @param takenAt call stack of that thread, innermost call first
 */
public record MemoryLeak(int lengthBytes, String thread, List<StackTraceElement> takenAt) {
    /**
     * Logs a warning with the platform's logger; the default handler of a pool.
     *
     * @param leak the leak
     */
    public static void log(MemoryLeak leak) {
        System.getLogger(MemoryPool.class.getName()).log(System.Logger.Level.WARNING, leak.toString());
    }

    @Override
    public String toString() {
        return "a lease of " + lengthBytes + " bytes was not closed; thread " + thread + " took it at "
                + takenAt.stream().map(StackTraceElement::toString).collect(Collectors.joining("\n\tat "));
    }
}
