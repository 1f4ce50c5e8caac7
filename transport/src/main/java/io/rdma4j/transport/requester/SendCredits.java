// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.base.Psn;
import io.rdma4j.wire.CreditCode;

/**
 * End-to-end flow control of the requester: the number of messages for which the peer has receive requests (IBA
 * 9.7.7.2).
 *
 * <p>Messages are numbered from 1 on, by 24 bits. Every acknowledgement contains the number of messages that the peer
 * has completed and the number of further ones that it can receive. Their sum, the limit sequence number, never
 * decreases. A peer that has not announced credits, or announces them as unlimited, sets no limit.
 */
public final class SendCredits {
    private boolean limited;
    private int limit;

    /**
     * Handles an acknowledgement.
     *
     * @param msn messages that the peer has completed, 24 bits
     * @param code {@link CreditCode}, 5 bits
     */
    public void onAcknowledge(int msn, int code) {
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
    public boolean allow(int number) {
        return !limited || !Psn.isAfter(number, limit);
    }
}
