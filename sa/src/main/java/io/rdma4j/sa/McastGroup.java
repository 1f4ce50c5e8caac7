// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A multicast group of a port and its members ({@code struct mcast_group} of Linux). The SA sees one join for each bit
 * of the join state: that of the first member, and one leave after the last. One request is in progress at a time.
 * Guarded by the client.
 */
final class McastGroup {
    private static final int STATES = 4;
    private static final int SELECTOR_GREATER = 0;
    private static final int SELECTOR_LESS = 1;
    private static final int SELECTOR_EXACTLY = 2;

    private final Gid mgid;
    private final Gid portGid;
    private final SaRequests requests;
    private final Deque<McastMember> joining = new ArrayDeque<>();
    private final List<McastMember> members = new ArrayList<>();
    /** Members by bit of the join state. */
    private final int[] users = new int[STATES];

    private @Nullable SaRecord record;
    /** Bits that are joined at the SA. */
    private int joined;

    private boolean busy;
    /** Changes when the SA has lost the group; answers of before do not count. */
    private int epoch;

    McastGroup(Gid mgid, Gid portGid, SaRequests requests) {
        this.mgid = mgid;
        this.portGid = portGid;
        this.requests = requests;
    }

    boolean isUnused() {
        return !busy && joining.isEmpty() && members.isEmpty() && joined == 0;
    }

    void join(McastMember member) {
        joining.add(member);
        work();
    }

    void leave(McastMember member) {
        member.closed = true;
        joining.removeIf(other -> other == member);
        if (members.removeIf(other -> other == member)) {
            count(member, -1);
        }
        work();
    }

    private void count(McastMember member, int change) {
        for (int bit = 0; bit < STATES; bit++) {
            if ((member.joinState & 1 << bit) != 0) {
                users[bit] += change;
            }
        }
    }

    /** The SA has forgotten the group: all members are told, and join again. */
    void lost() {
        epoch++;
        joined = 0;
        record = null;
        busy = false;
        List<McastMember> all = List.copyOf(members);
        members.clear();
        for (McastMember member : all) {
            count(member, -1);
            requests.report(member.handler, SaResult.of(Errno.ENETRESET));
            joining.add(member);
        }
        work();
    }

    private void work() {
        while (!busy && !joining.isEmpty()) {
            McastMember member = joining.remove();
            SaRecord known = record;
            if (known == null || (member.joinState & ~joined) != 0) {
                begin(member);
            } else if (matches(known, member.record)) {
                admit(member, known);
            } else {
                fail(member, SaResult.of(Errno.EINVAL));
            }
        }
        int unused = unusedBits();
        if (!busy && unused != 0) {
            leave(unused);
        }
    }

    private int unusedBits() {
        int unused = 0;
        for (int bit = 0; bit < STATES; bit++) {
            if (users[bit] == 0) {
                unused |= joined & 1 << bit;
            }
        }
        return unused;
    }

    private void begin(McastMember member) {
        busy = true;
        int now = epoch;
        try {
            requests.request(MadMethod.SET, member.record, result -> answered(member, now, result));
        } catch (RdmaException e) {
            busy = false;
            fail(member, SaResult.of(e.errno()));
        }
    }

    private void answered(McastMember member, int of, SaResult result) {
        if (of != epoch) {
            // The group was lost meanwhile: the join counts for nothing.
            if (!member.closed) {
                joining.addFirst(member);
            }
            work();
            return;
        }
        busy = false;
        if (result.isSuccess()) {
            SaRecord joinedRecord = result.records().getFirst();
            record = joinedRecord;
            joined |= member.joinState;
            if (!member.closed) {
                admit(member, joinedRecord);
            }
        } else {
            fail(member, result);
        }
        work();
    }

    private void admit(McastMember member, SaRecord known) {
        member.joinedBefore = true;
        members.add(member);
        count(member, 1);
        requests.report(member.handler, SaResult.of(known.copy().set(McMemberRecord.JOIN_STATE, member.joinState)));
    }

    private void fail(McastMember member, SaResult result) {
        if (member.closed) {
            return;
        }
        if (member.joinedBefore) {
            // It stays registered, and joins again when the subnet changes the next time.
            members.add(member);
            count(member, 1);
        }
        requests.report(member.handler, result);
    }

    private void leave(int bits) {
        busy = true;
        joined &= ~bits;
        int now = epoch;
        SaRecord leaving = SaRecord.of(MadAttribute.MC_MEMBER_RECORD)
                .set(McMemberRecord.MGID, mgid)
                .set(McMemberRecord.PORT_GID, portGid)
                .set(McMemberRecord.JOIN_STATE, bits);
        try {
            requests.request(MadMethod.DELETE, leaving, _ -> left(now));
        } catch (RdmaException e) {
            // Without SA there is no group to leave.
            busy = false;
        }
    }

    private void left(int of) {
        if (of == epoch) {
            busy = false;
        }
        work();
    }

    // Comparison of a later member's wishes with the record of the group

    private static boolean matches(SaRecord group, SaRecord wanted) {
        return agree(
                        group,
                        wanted,
                        McMemberRecord.MGID,
                        McMemberRecord.QKEY,
                        McMemberRecord.MLID,
                        McMemberRecord.TRAFFIC_CLASS,
                        McMemberRecord.PKEY,
                        McMemberRecord.SL,
                        McMemberRecord.FLOW_LABEL,
                        McMemberRecord.HOP_LIMIT,
                        McMemberRecord.SCOPE)
                && selected(group, wanted, McMemberRecord.MTU_SELECTOR, McMemberRecord.MTU)
                && selected(group, wanted, McMemberRecord.RATE_SELECTOR, McMemberRecord.RATE)
                && selected(group, wanted, McMemberRecord.LIFE_SELECTOR, McMemberRecord.PACKET_LIFE_TIME);
    }

    private static boolean agree(SaRecord group, SaRecord wanted, MadField... fields) {
        for (MadField field : fields) {
            if (!group.agreesWith(wanted, field)) {
                return false;
            }
        }
        return true;
    }

    private static boolean selected(SaRecord group, SaRecord wanted, MadField selector, MadField field) {
        if (!wanted.has(selector) || !wanted.has(field)) {
            return true;
        }
        return switch ((int) wanted.get(selector)) {
            case SELECTOR_GREATER -> group.get(field) > wanted.get(field);
            case SELECTOR_LESS -> group.get(field) < wanted.get(field);
            case SELECTOR_EXACTLY -> group.get(field) == wanted.get(field);
            default -> true;
        };
    }
}
