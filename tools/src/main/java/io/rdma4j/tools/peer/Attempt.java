package io.rdma4j.tools.peer;

import io.rdma4j.base.RdmaException;
import java.util.function.Supplier;

/** Calls verbs and tells a refusal in the words of the original program. */
public final class Attempt {
    private Attempt() {}

    /**
     * Calls a verb that answers something.
     *
     * @param text what the original prints when the verb fails
     * @throws ToolFailure with {@code text} and the reason, if the verb is refused
     */
    public static <T> T to(String text, Supplier<T> verb) throws ToolFailure {
        try {
            return verb.get();
        } catch (RdmaException e) {
            throw new ToolFailure(text, e);
        }
    }

    /** The same for a verb that answers nothing. */
    public static void run(String text, Runnable verb) throws ToolFailure {
        to(text, () -> {
            verb.run();
            return text;
        });
    }
}
