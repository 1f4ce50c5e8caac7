// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.peer;

import io.rdma4j.base.RdmaException;
import java.util.function.Supplier;

/** Calls verbs and reports failures with the texts of the original program. */
public final class Attempt {
    private Attempt() {}

    /**
     * Calls a verb with a result.
     *
     * @param text output of the original when the verb fails
     * @throws ToolFailure with {@code text} and the reason, if the verb fails
     */
    public static <T> T to(String text, Supplier<T> verb) throws ToolFailure {
        try {
            return verb.get();
        } catch (RdmaException e) {
            throw new ToolFailure(text, e);
        }
    }

    /** Calls a verb without a result. */
    public static void run(String text, Runnable verb) throws ToolFailure {
        to(text, () -> {
            verb.run();
            return text;
        });
    }
}
