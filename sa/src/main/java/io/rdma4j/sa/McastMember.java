// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.wire.mad.sa.McMemberRecord;

/** A user of a multicast group. Guarded by the client. */
final class McastMember {
    final SaRecord record;
    final SaHandler handler;
    /** Bits of {@link McMemberRecord#JOIN_STATE}. */
    final int joinState;

    boolean closed;
    /** Joined once; it stays registered when a later join fails. */
    boolean joinedBefore;

    McastMember(SaRecord record, SaHandler handler) {
        this.record = record;
        this.handler = handler;
        this.joinState = (int) record.get(McMemberRecord.JOIN_STATE);
    }
}
