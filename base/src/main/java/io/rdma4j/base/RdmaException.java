package io.rdma4j.base;

/**
 * A verb refused its arguments or could not do what it was asked.
 *
 * <p>The message names the value and the limit; {@link #errno()} is the number that the C verb would have returned.
 * Unchecked, because most of these are mistakes in the calling program.
 */
public class RdmaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What {@link #errno()} returns. */
    private final Errno errno;

    /**
     * A refusal for a reason of its own.
     *
     * @param errno what the C verb would have returned
     * @param message names the value and the limit; the errno's name is put in front
     */
    public RdmaException(Errno errno, String message) {
        super(errno.name() + ": " + message);
        this.errno = errno;
    }

    /**
     * A refusal because something below failed.
     *
     * @param errno what the C verb would have returned
     * @param message names the value and the limit; the errno's name is put in front
     * @param cause what the operating system or the JDK said
     */
    public RdmaException(Errno errno, String message, Throwable cause) {
        super(errno.name() + ": " + message, cause);
        this.errno = errno;
    }

    /** {@return the number that the C verb would have returned} */
    public Errno errno() {
        return errno;
    }
}
