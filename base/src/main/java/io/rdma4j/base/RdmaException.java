// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

/**
 * Thrown if a verb rejects its arguments or fails.
 *
 * <p>The message contains the value and the limit. {@link #errno()} is the error number that the C verb would have
 * returned. The exception is unchecked, because most of these errors are bugs in the calling program.
 */
public class RdmaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Errno errno;

    /**
     * Creates an exception without a cause.
     *
     * @param errno the error that the C verb would have returned
     * @param message contains the value and the limit; the errno's name is prepended
     */
    public RdmaException(Errno errno, String message) {
        super(errno.name() + ": " + message);
        this.errno = errno;
    }

    /**
     * Creates an exception with a cause.
     *
     * @param errno the error that the C verb would have returned
     * @param message contains the value and the limit; the errno's name is prepended
     * @param cause the exception of the operating system or the JDK
     */
    public RdmaException(Errno errno, String message, Throwable cause) {
        super(errno.name() + ": " + message, cause);
        this.errno = errno;
    }

    /** {@return the error that the C verb would have returned} */
    public Errno errno() {
        return errno;
    }
}
