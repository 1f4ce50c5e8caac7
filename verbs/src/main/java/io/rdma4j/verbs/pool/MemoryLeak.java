package io.rdma4j.verbs.pool;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A lease that is not closed: one that nobody can close any more, or one that is still open.
 *
 * @param lengthBytes that were asked for
 * @param thread that took it
 * @param takenAt where, the innermost call first
 */
public record MemoryLeak(int lengthBytes, String thread, List<StackTraceElement> takenAt) {
    /**
     * Warns of it by the platform's logger: what a pool does unless told otherwise.
     *
     * @param leak what was found
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
