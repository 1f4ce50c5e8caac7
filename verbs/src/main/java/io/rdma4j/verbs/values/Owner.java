// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/**
 * The task that opened a context. Corresponds to {@code rdma_restrack_set_name} and to the task of a restrack entry.
 *
 * @param pid process number
 * @param comm readable name, such as the name of a thread
 */
public record Owner(long pid, String comm) {
    /** {@return this process with the name of the calling thread, or {@code java} if that thread has no name} */
    public static Owner current() {
        String thread = Thread.currentThread().getName();
        return new Owner(ProcessHandle.current().pid(), thread.isEmpty() ? "java" : thread);
    }
}
