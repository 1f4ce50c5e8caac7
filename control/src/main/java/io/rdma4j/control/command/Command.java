package io.rdma4j.control.command;

import java.util.List;

/** One command of a {@link Shell}, such as {@code ip}; has no state of its own. */
interface Command {
    /** Its first word. */
    String name();

    /** How to call it, one form a line. */
    String usage();

    /**
     * Does it. Prints to the session's output; warnings, to its errors.
     *
     * @param words what follows the name
     * @return exit code, 0 if all went well
     * @throws UsageException if the words make no sense
     * @throws io.rdma4j.base.RdmaException what the machine refuses
     */
    int run(Session session, List<String> words);
}
