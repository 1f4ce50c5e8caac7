// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

/**
 * Reads completions from a completion queue without allocation, like {@code ibv_start_poll}, {@code ibv_next_poll} and
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
 * <p>A completion queue has one cursor, which every poll reuses. It belongs to one thread between {@code startPoll()}
 * and {@link #close()}; other polling threads spin meanwhile. The accessors read the completion that the last
 * {@link #next()} reached. If {@link #status()} is not SUCCESS, only {@link #wrId()}, {@link #status()},
 * {@link #vendorError()} and {@link #qpNumber()} are valid.
 */
public interface CompletionCursor extends AutoCloseable {
    /**
     * Moves to the next completion. Corresponds to {@code ibv_next_poll}.
     *
     * <p>If the poll has found no completion yet, the calling thread first lets the device make progress.
     *
     * @return true if there is another completion, which the accessors now read; false if there is none now
     */
    boolean next();

    /** {@return the {@code wr_id} of the work request} */
    long wrId();

    /** {@return the completion status of the request} */
    WcStatus status();

    /** {@return the operation that completed} */
    WcOpcode opcode();

    /** {@return the provider's detail of an error; 0 if there is none} */
    int vendorError();

    /** {@return the number of bytes received (receive completions) or transferred (other completions); unsigned} */
    int byteLength();

    /** {@return the number of the local queue pair} */
    int qpNumber();

    /** {@return bits of {@link WcFlag}} */
    int flags();

    /**
     * {@return true if {@code flag} is set}
     *
     * @param flag the flag to test
     */
    default boolean has(WcFlag flag) {
        return (flags() & flag.bit()) != 0;
    }

    /**
     * {@return the immediate data, valid with {@link WcFlag#WITH_IMM}; or the invalidated R_Key, valid with
     * {@link WcFlag#WITH_INV}}
     */
    int immediate();

    /** {@return the number of the sender's queue pair (datagrams only)} */
    int sourceQp();

    /** {@return the index of the message's P_Key in the P_Key table (GSI only)} */
    int pkeyIndex();

    /** {@return the sender's LID: 16 bits (datagrams over InfiniBand only)} */
    int sourceLid();

    /**
     * {@return the service level of the message: 4 bits (datagrams only)} On RoCE the kind of header in
     * front of the message: 9 for IPv6, 10 for IPv4.
     */
    int serviceLevel();

    /** {@return the path bits of the destination LID: 7 bits (datagrams over InfiniBand only)} */
    int destinationPathBits();

    /** {@return the port that received the message, from 1 (GSI only)} */
    int port();

    /**
     * {@return the time at which the completion was created, in nanoseconds of the device's clock} The origin of the
     * clock is arbitrary. The value is 0 unless the completion queue was created with {@link
     * CompletionField#COMPLETION_TIMESTAMP}. Corresponds to {@code ibv_wc_read_completion_ts}.
     */
    long timestampNs();

    /** Ends the poll and returns the polled entries to the device. Corresponds to {@code ibv_end_poll}. */
    @Override
    void close();
}
