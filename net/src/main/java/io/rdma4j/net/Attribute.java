package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A value that tools read as text, and some write ({@code device_attribute}).
 *
 * @param show the value now, without end of line
 * @param store takes a new value, or refuses it by an {@link RdmaException}
 */
public record Attribute(Supplier<String> show, Consumer<String> store) {
    /** Refuses every value. */
    private static final class ReadOnly implements Consumer<String> {
        @Override
        public void accept(String value) {
            throw new RdmaException(Errno.EACCES, "\"" + value + "\" cannot be written: the attribute is read-only");
        }
    }

    /**
     * {@return one that nobody can write: EACCES}
     *
     * @param show asked at each reading for the text
     */
    public static Attribute readOnly(Supplier<String> show) {
        return new Attribute(show, new ReadOnly());
    }

    /** {@return whether it was made by {@link #readOnly}} */
    public boolean isReadOnly() {
        return store instanceof ReadOnly;
    }
}
