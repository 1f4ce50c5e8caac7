package io.rdma4j.transport;

import io.rdma4j.verbs.WrOpcode;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Position;
import org.jspecify.annotations.Nullable;

/**
 * Which packets a send work request becomes: a row a request, named by its form of one packet; answers to
 * {@code next_opcode} of rxe.
 */
enum WireOperation {
    SEND(WrOpcode.SEND, Opcode.RC_SEND_ONLY),
    SEND_WITH_IMM(WrOpcode.SEND_WITH_IMM, Opcode.RC_SEND_ONLY_IMMEDIATE);

    private static final int CODES = 16;
    private static final @Nullable WireOperation[] BY_WORK_REQUEST = new WireOperation[CODES];

    static {
        for (WireOperation operation : values()) {
            BY_WORK_REQUEST[operation.request.code()] = operation;
        }
    }

    private final WrOpcode request;
    private final Opcode only;

    WireOperation(WrOpcode request, Opcode only) {
        this.request = request;
        this.only = only;
    }

    /** The row of a work request, null if there is none; {@code code} comes from shared memory and may be anything. */
    static @Nullable WireOperation of(int code) {
        return code >= 0 && code < CODES ? BY_WORK_REQUEST[code] : null;
    }

    /** The work request of this row. */
    WrOpcode request() {
        return request;
    }

    /** True if immediate data go with the message. */
    boolean carriesImmediate() {
        return only.carries(Header.IMMDT);
    }

    /** The packet at this place of the message. */
    Opcode opcode(boolean starts, boolean ends) {
        if (starts) {
            return ends ? only : only.withPosition(Position.FIRST);
        }
        return only.withPosition(ends ? Position.LAST : Position.MIDDLE);
    }
}
