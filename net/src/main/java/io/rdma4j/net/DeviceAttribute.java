// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A text value of a device that tools read, and in part write ({@code device_attribute}).
 *
 * @param show returns the current value, without end of line
 * @param store sets a new value, or throws an {@link RdmaException}
 */
public record DeviceAttribute(Supplier<String> show, Consumer<String> store) {
    /** Rejects every value with EACCES. */
    private static final class ReadOnly implements Consumer<String> {
        @Override
        public void accept(String value) {
            throw new RdmaException(Errno.EACCES, "\"" + value + "\" cannot be written: the attribute is read-only");
        }
    }

    /**
     * {@return a read-only attribute: a write fails with EACCES}
     *
     * @param show returns the current value; called for each read
     */
    public static DeviceAttribute readOnly(Supplier<String> show) {
        return new DeviceAttribute(show, new ReadOnly());
    }

    /** {@return true if {@link #readOnly} created it} */
    public boolean isReadOnly() {
        return store instanceof ReadOnly;
    }
}
