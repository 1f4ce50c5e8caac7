// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import io.rdma4j.verbs.wr.WrOpcode;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Operation;
import io.rdma4j.wire.Position;
import io.rdma4j.wire.TransportClass;
import org.jspecify.annotations.Nullable;

/**
 * The packets of each kind of send work request. A row is named by its single packet on a reliable connection; other
 * services have their own opcodes for it, or do not support it. Local requests send no packet. Corresponds to
 * {@code next_opcode} and {@code rxe_wr_opcode_info} of rxe.
 */
public enum WireOperation {
    SEND(WrOpcode.SEND, Opcode.RC_SEND_ONLY),
    SEND_WITH_IMM(WrOpcode.SEND_WITH_IMM, Opcode.RC_SEND_ONLY_IMMEDIATE),
    SEND_WITH_INV(WrOpcode.SEND_WITH_INV, Opcode.RC_SEND_ONLY_INVALIDATE),
    RDMA_WRITE(WrOpcode.RDMA_WRITE, Opcode.RC_WRITE_ONLY),
    RDMA_WRITE_WITH_IMM(WrOpcode.RDMA_WRITE_WITH_IMM, Opcode.RC_WRITE_ONLY_IMMEDIATE),
    RDMA_READ(WrOpcode.RDMA_READ, Opcode.RC_READ_REQUEST),
    RDMA_READ_WITH_INV(WrOpcode.RDMA_READ_WITH_INV, Opcode.RC_READ_REQUEST),
    ATOMIC_CMP_AND_SWP(WrOpcode.ATOMIC_CMP_AND_SWP, Opcode.RC_COMPARE_SWAP),
    ATOMIC_FETCH_AND_ADD(WrOpcode.ATOMIC_FETCH_AND_ADD, Opcode.RC_FETCH_ADD),
    MASKED_ATOMIC_CMP_AND_SWP(WrOpcode.MASKED_ATOMIC_CMP_AND_SWP, Opcode.RC_MASKED_COMPARE_SWAP),
    MASKED_ATOMIC_FETCH_AND_ADD(WrOpcode.MASKED_ATOMIC_FETCH_AND_ADD, Opcode.RC_MASKED_FETCH_ADD),
    FLUSH(WrOpcode.FLUSH, Opcode.RC_FLUSH),
    ATOMIC_WRITE(WrOpcode.ATOMIC_WRITE, Opcode.RC_ATOMIC_WRITE),
    TSO(WrOpcode.TSO, Opcode.RC_SEND_ONLY),
    LOCAL_INV(WrOpcode.LOCAL_INV),
    BIND_MW(WrOpcode.BIND_MW),
    REG_MR(WrOpcode.REG_MR);

    private static final int CODES = 64;
    private static final @Nullable WireOperation[] BY_WORK_REQUEST = new WireOperation[CODES];

    static {
        for (WireOperation operation : values()) {
            BY_WORK_REQUEST[operation.request.code()] = operation;
        }
    }

    private final WrOpcode request;
    private final Opcode only;
    private final boolean local;

    WireOperation(WrOpcode request, Opcode only) {
        this.request = request;
        this.only = only;
        this.local = false;
    }

    /** A request that is executed locally; it takes the place of an empty SEND, but consumes no PSN. */
    WireOperation(WrOpcode request) {
        this.request = request;
        this.only = Opcode.RC_SEND_ONLY;
        this.local = true;
    }

    /**
     * The row of a work request, null if there is none; {@code code} comes from shared memory and may have any value.
     */
    public static @Nullable WireOperation of(int code) {
        return code >= 0 && code < CODES ? BY_WORK_REQUEST[code] : null;
    }

    /** The work request of this row. */
    public WrOpcode request() {
        return request;
    }

    /** True if no packet is sent for it. */
    public boolean isLocal() {
        return local;
    }

    /** True if the message carries immediate data. */
    public boolean carriesImmediate() {
        return only.carries(Header.IMMDT);
    }

    /** True if it consumes a receive request of the peer and thus an end-to-end credit. */
    public boolean takesReceive() {
        return !local && only.takesReceive();
    }

    /** True if the peer responds with a packet of its own; its requests are single packets. */
    public boolean hasOwnResponse() {
        return only.hasOwnResponse();
    }

    /** True if the response contains the data that were read. */
    public boolean reads() {
        return only.operation() == Operation.READ_REQUEST;
    }

    /** True if the response contains the original value. */
    public boolean isAtomic() {
        return only.isAtomic();
    }

    /** True if the request carries payload to the peer. */
    public boolean sendsPayload() {
        return only.hasPayload();
    }

    /** True if the response carries payload for the memory of this side. */
    public boolean bringsPayload() {
        return reads() || isAtomic();
    }

    /**
     * True if the length of the request determines the number of packets of it, or of its response; otherwise that is
     * one.
     */
    public boolean hasMessageLength() {
        return !only.isAtomic() && this != FLUSH && this != ATOMIC_WRITE;
    }

    /** True if the request may have this length: eight for atomics, any for a FLUSH. */
    public boolean allows(long lengthBytes, long maxMessageBytes) {
        if (hasMessageLength()) {
            return lengthBytes <= maxMessageBytes;
        }
        return this == FLUSH || lengthBytes == Long.BYTES;
    }

    /** True if a queue pair of this service supports it. */
    public boolean isServedBy(TransportClass service) {
        if (this == TSO) {
            return service == TransportClass.UD;
        }
        if (!local) {
            return only.forTransport(service) != null;
        }
        return service != TransportClass.UD && (service != TransportClass.XRC || this != BIND_MW);
    }

    /** The opcode of the packet at this position of the message; the service supports the operation. */
    public Opcode opcode(TransportClass service, boolean starts, boolean ends) {
        Opcode opcode = only;
        if (!starts || !ends) {
            opcode = only.withPosition(starts ? Position.FIRST : ends ? Position.LAST : Position.MIDDLE);
        }
        return require(opcode.forTransport(service));
    }

    /** The opcode of a response packet of a reliable service. */
    public static Opcode response(TransportClass service, Operation operation, Position position) {
        Opcode reliable = switch (operation) {
            case READ_RESPONSE -> Opcode.RC_READ_RESPONSE_ONLY.withPosition(position);
            case ATOMIC_ACKNOWLEDGE -> Opcode.RC_ATOMIC_ACKNOWLEDGE;
            default -> Opcode.RC_ACKNOWLEDGE;
        };
        return require(reliable.forTransport(service));
    }

    private static Opcode require(@Nullable Opcode opcode) {
        if (opcode == null) {
            throw new IllegalStateException("the service does not have the operation");
        }
        return opcode;
    }
}
