// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.core;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Checks single arguments. The messages of its exceptions contain the C name, the value and the limit. */
public final class Arguments {
    private Arguments() {}

    /** @throws RdmaException EINVAL unless {@code value} fits {@code bits} unsigned bits */
    public static void bits(String name, int value, int bits) {
        atMost(name, value, (1L << bits) - 1);
    }

    /** @throws RdmaException EINVAL unless {@code value} is in 0..{@code max} */
    public static void atMost(String name, long value, long max) {
        range(name, value, 0, max);
    }

    /** @throws RdmaException EINVAL unless {@code value} is in {@code min}..{@code max} */
    public static void range(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new RdmaException(Errno.EINVAL, name + " " + value + " is not in " + min + ".." + max);
        }
    }

    /**
     * @throws RdmaException EINVAL unless {@code length} bytes at {@code offset} are within {@code size} bytes of
     *     {@code owner}
     */
    public static void within(Object owner, long offset, long length, long size) {
        if (offset < 0 || length < 0 || length > size || offset > size - length) {
            throw new RdmaException(
                    Errno.EINVAL,
                    length + " bytes at offset " + offset + " do not lie in " + owner + " of " + size + " bytes");
        }
    }

    /** @throws RdmaException EOPNOTSUPP if {@code asked} contains an element that the device does not support */
    public static <E> void supported(String name, Set<E> asked, Set<E> available) {
        for (E one : asked) {
            if (!available.contains(one)) {
                throw new RdmaException(
                        Errno.EOPNOTSUPP, name + " " + one + ": this device has none of these but " + available);
            }
        }
    }

    /** @throws RdmaException EINVAL if {@code value} is negative */
    public static void notNegative(String name, long value) {
        if (value < 0) {
            throw new RdmaException(Errno.EINVAL, name + " " + value + " is negative");
        }
    }

    /** @throws RdmaException EINVAL if {@code value} is null; the application may be compiled without null checks */
    public static void present(String name, @Nullable Object value) {
        if (value == null) {
            throw new RdmaException(Errno.EINVAL, name + " is null");
        }
    }

    /**
     * Converts a timeout to nanoseconds; timeouts above the range of a long become {@link Long#MAX_VALUE}.
     *
     * @throws RdmaException EINVAL if {@code timeout} is null
     */
    public static long nanoseconds(Duration timeout) {
        present("timeout", timeout);
        return TimeUnit.NANOSECONDS.convert(timeout);
    }

    /** @throws RdmaException EINVAL if the collection or one of its elements is null */
    public static void allPresent(String name, @Nullable Collection<?> values) {
        present(name, values);
        if (values instanceof List<?> list) {
            // An iterator would be an allocation for each posted request.
            for (int i = 0; i < list.size(); i++) {
                elementPresent(name, i, list.get(i));
            }
        } else {
            int index = 0;
            for (Object value : Objects.requireNonNull(values)) {
                elementPresent(name, index++, value);
            }
        }
    }

    /** Checks an array in the same way, and returns it as a list. */
    public static <T> List<T> allPresent(String name, T @Nullable [] values) {
        present(name, values);
        T[] present = Objects.requireNonNull(values);
        for (int i = 0; i < present.length; i++) {
            elementPresent(name, i, present[i]);
        }
        return List.of(present);
    }

    private static void elementPresent(String name, int index, @Nullable Object value) {
        if (value == null) {
            present(name + "[" + index + "]", null);
        }
    }
}
