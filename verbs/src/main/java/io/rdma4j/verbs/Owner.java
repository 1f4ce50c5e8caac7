package io.rdma4j.verbs;

/**
 * Whose a context is: the task that opened it. Answers to {@code rdma_restrack_set_name} and the task of an entry.
 *
 * @param pid the process
 * @param comm a name for people
 */
public record Owner(long pid, String comm) {
    /** {@return this process, by the name of the calling thread; {@code java} if it has none} */
    public static Owner current() {
        String thread = Thread.currentThread().getName();
        return new Owner(ProcessHandle.current().pid(), thread.isEmpty() ? "java" : thread);
    }
}
