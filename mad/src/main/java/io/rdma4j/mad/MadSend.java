// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.rmpp.RmppSend;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.Rmpp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * A message that an agent sends, and the handle of its transaction. Corresponds to {@code struct ib_mad_send_buf}.
 *
 * <p>A message is one datagram, or for agents with RMPP a longer one: the headers of the class, whose RMPP header has
 * {@link Rmpp#ACTIVE}, and behind them the data of all segments. After its end a message can be posted again. The agent
 * to which it was posted changes it; other threads may read it after its end.
 */
public final class MadSend {
    private final MadAddress to;
    private final MemorySegment message;
    private final @Nullable Object userContext;

    int timeoutMs;
    final int retries;

    // State of the transaction, guarded by the port.
    boolean inProgress;
    /** Number of this posting; completions of an earlier one are ignored. */
    int posting;

    MadAddress address;

    @Nullable
    RmppSend rmpp;

    int posted;
    int retriesLeft;
    int redirects;
    long deadlineNs = Deadline.NEVER;
    /** Order among equal deadlines. */
    long sequence;

    private int retriesDone;
    private int vendorError;

    private MadSend(MadAddress to, MemorySegment message, int timeoutMs, int retries, @Nullable Object userContext) {
        this.to = to;
        this.address = to;
        this.message = message;
        this.timeoutMs = timeoutMs;
        this.retries = retries;
        this.userContext = userContext;
    }

    /**
     * {@return a message without response}
     *
     * @param to destination
     * @param message copied; a datagram shorter than 256 bytes is filled with zeros
     * @throws RdmaException EINVAL for more than 256 bytes without an active RMPP header, or less than a common header
     */
    public static MadSend of(MadAddress to, MemorySegment message) {
        return request(to, message, 0, 0);
    }

    /**
     * {@return a request that waits for its response}
     *
     * @param to destination
     * @param message copied; a datagram shorter than 256 bytes is filled with zeros
     * @param timeoutMs {@code timeout_ms}: time for the response after each transmission; 0 if none is expected
     * @param retries {@code retries}: maximum number of further transmissions
     * @throws RdmaException EINVAL for more than 256 bytes without an active RMPP header, less than a common header,
     *     or a negative number
     */
    public static MadSend request(MadAddress to, MemorySegment message, int timeoutMs, int retries) {
        if (timeoutMs < 0 || retries < 0) {
            throw new RdmaException(
                    Errno.EINVAL, "timeout " + timeoutMs + " ms and " + retries + " retries: both are at least 0");
        }
        return new MadSend(to, copy(message), timeoutMs, retries, null);
    }

    private static MemorySegment copy(MemorySegment message) {
        if (message.byteSize() < Mad.HEADER_BYTES) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "a message of " + message.byteSize() + " bytes is shorter than a header of " + Mad.HEADER_BYTES);
        }
        byte[] bytes = new byte[(int) Math.max(Mad.BYTES, message.byteSize())];
        MemorySegment.copy(message, ValueLayout.JAVA_BYTE, 0, bytes, 0, (int) message.byteSize());
        MemorySegment copy = MemorySegment.ofArray(bytes);
        int headerBytes = MadFormat.dataOffset(Mad.MGMT_CLASS.getInt(copy, 0));
        if (MadFormat.isRmpp(copy)) {
            if (message.byteSize() < headerBytes) {
                throw new RdmaException(
                        Errno.EINVAL,
                        "an RMPP message of " + message.byteSize() + " bytes is shorter than its headers of "
                                + headerBytes);
            }
            return copy.asSlice(0, message.byteSize());
        }
        if (message.byteSize() > Mad.BYTES) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "a message of " + message.byteSize() + " bytes is longer than a datagram of " + Mad.BYTES
                            + " and its RMPP header is not active");
        }
        return copy;
    }

    /**
     * {@return the same message, not posted, with an object of the application}
     *
     * @param context for {@link #userContext}
     */
    public MadSend withUserContext(@Nullable Object context) {
        return new MadSend(to, message, timeoutMs, retries, context);
    }

    /** {@return the object of the application} Corresponds to {@code context}. */
    public @Nullable Object userContext() {
        return userContext;
    }

    /** {@return the destination; a redirected request goes to another one} */
    public MadAddress to() {
        return to;
    }

    /** {@return the message, read-only} */
    public MemorySegment message() {
        return message.asReadOnly();
    }

    /** {@return the transaction ID} */
    public long transactionId() {
        return Mad.TRANSACTION_ID.get(message, 0);
    }

    /** {@return the time for the response after each transmission; 0 if none is expected} */
    public int timeoutMs() {
        return timeoutMs;
    }

    /** {@return the maximum number of transmissions after the first one} */
    public int retries() {
        return retries;
    }

    /** {@return the number of transmissions after the first one, of the message or of its segments} */
    public int retriesDone() {
        return retriesDone;
    }

    /** {@return after REM_ABORT_ERR the RMPP status of the peer, else 0} Corresponds to {@code vendor_err}. */
    public int vendorError() {
        return vendorError;
    }

    /** The message, writable. */
    MemorySegment segment() {
        return message;
    }

    /** The message as one datagram; an RMPP message of an agent without RMPP may be shorter. */
    MemorySegment datagram() {
        if (message.byteSize() == Mad.BYTES) {
            return message;
        }
        MemorySegment padded = MemorySegment.ofArray(new byte[Mad.BYTES]);
        return padded.copyFrom(message);
    }

    void begin(MadAddress first, long number) {
        inProgress = true;
        posting++;
        address = first;
        rmpp = null;
        posted = 0;
        retriesLeft = retries;
        redirects = 0;
        deadlineNs = Deadline.NEVER;
        sequence = number;
        retriesDone = 0;
        vendorError = 0;
    }

    void end(int error) {
        inProgress = false;
        rmpp = null;
        vendorError = error;
    }

    void countRetry() {
        retriesLeft--;
        retriesDone++;
    }

    @Override
    public String toString() {
        return String.format("transaction 0x%016x", transactionId());
    }
}
