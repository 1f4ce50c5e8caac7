package io.rdma4j.verbs;

/**
 * The allocation-free door to a completion queue, in the manner of {@code ibv_start_poll}, {@code ibv_next_poll},
 * {@code ibv_end_poll}.
 *
 * {@snippet :
 * try (CompletionCursor wc = cq.startPoll()) {
 *     while (wc.next()) {
 *         handle(wc.wrId(), wc.status());
 *     }
 * }
 * }
 *
 * <p>Reused by every poll of the queue; belongs to one thread between {@code startPoll()} and {@link #close()}, other
 * pollers spin. The accessors speak of the completion that the last {@link #next()} reached. If {@link #status()} is not
 * SUCCESS, only {@link #wrId()}, {@link #status()}, {@link #vendorError()} and {@link #qpNumber()} mean anything.
 */
public interface CompletionCursor extends AutoCloseable {
    /**
     * Steps to the next completion; false when there is none now.
     *
     * <p>A poll that finds nothing at all lets the device make progress on the calling thread first.
     *
     * @return true if there is another one, of which the accessors now speak
     */
    boolean next();

    /** {@return the number given with the work request} */
    long wrId();

    /** {@return how the request ended} */
    WcStatus status();

    /** {@return which operation ended} */
    WcOpcode opcode();

    /** {@return the provider's own detail of an error; 0 if none} */
    int vendorError();

    /** {@return bytes received (receive completions) or moved (others); unsigned} */
    int byteLength();

    /** {@return the local queue pair} */
    int qpNumber();

    /** {@return bits of {@link WcFlag}} */
    int flags();

    /**
     * {@return true if {@code flag} is set}
     *
     * @param flag one of the constants
     */
    default boolean has(WcFlag flag) {
        return (flags() & flag.bit()) != 0;
    }

    /**
     * {@return immediate data, valid with {@link WcFlag#WITH_IMM}; or the revoked key, valid with
     * {@link WcFlag#WITH_INV}}
     */
    int immediate();

    /** {@return the sender's queue pair (datagrams only)} */
    int sourceQp();

    /** {@return slot of the P_Key that the message had (GSI only)} */
    int pkeyIndex();

    /** {@return the sender's LID: 16 bits (datagrams over InfiniBand only)} */
    int sourceLid();

    /** {@return service level that the message came with: 4 bits (datagrams only)} */
    int serviceLevel();

    /** {@return path bits of the LID that the message came to: 7 bits (datagrams over InfiniBand only)} */
    int destinationPathBits();

    /** {@return the port that the message came in by, from 1 (general services only)} */
    int port();

    /**
     * {@return when the completion was made, in nanoseconds of the device's clock, whose origin is arbitrary; 0 unless
     * the queue was made with {@link CompletionField#COMPLETION_TIMESTAMP}} Answers to
     * {@code ibv_wc_read_completion_ts}.
     */
    long timestampNs();

    /** Gives the polled entries back to the device. */
    @Override
    void close();
}
