package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.wire.CreditCode;

/**
 * End-to-end flow control as the requester honours it: how many messages the peer has receive requests for (IBA 9.7.7.2).
 *
 * <p>Messages are numbered from 1 on, by 24 bits; every acknowledgement says how many the peer has completed and how many
 * more it is ready for. Their sum, the limit sequence number, never goes back. A peer that has not spoken of credits, or
 * says that they do not matter, sets no limit.
 */
final class SendCredits {
    private boolean limited;
    private int limit;

    /**
     * An acknowledgement came.
     *
     * @param msn messages that the peer has completed, 24 bits
     * @param code {@link CreditCode}, 5 bits
     */
    void onAcknowledge(int msn, int code) {
        if (code == CreditCode.UNLIMITED) {
            limited = false;
            return;
        }
        int told = Psn.add(msn, CreditCode.credits(code));
        if (!limited || Psn.isAfter(told, limit)) {
            limit = told;
        }
        limited = true;
    }

    /** True if the peer sets no limit. */
    boolean areUnlimited() {
        return !limited;
    }

    /** True if the peer is known to have a receive request for message {@code number}, 24 bits, or sets no limit. */
    boolean allow(int number) {
        return !limited || !Psn.isAfter(number, limit);
    }
}
