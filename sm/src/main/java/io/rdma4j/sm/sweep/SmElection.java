// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.sm.SmState;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.wire.mad.sm.SmInfo;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which manager of a subnet is the master (IBA 14.4.1): that with the highest priority, among equal ones that with the
 * smallest GUID. A master stays master until it hands the subnet over.
 */
final class SmElection {
    /** Attribute modifiers of a Set of SMInfo. */
    static final int HANDOVER = 1;

    static final int ACKNOWLEDGE = 2;

    private static final int DISABLE = 3;
    private static final int WAKE = 4;
    private static final int DISCOVER = 5;

    private static final Comparator<Rival> RANK = (first, second) ->
            first.guid == second.guid ? 0 : first.isHigherThan(second.priority, second.guid) ? 1 : -1;

    /** What a manager does after it has seen the others. */
    enum Decision {
        /** It manages the subnet. */
        LEAD,
        /** It polls the other one. */
        FOLLOW,
        /** It is master, and hands the subnet over to the other one. */
        HAND_OVER,
        /** It is master, and the other one has to hand over to it. */
        WAIT
    }

    /** Another manager. */
    static final class Rival {
        private final long guid;
        private final int priority;
        private final SmState state;
        private final int[] path;

        /** @param path output ports of the directed route to it */
        Rival(long guid, int priority, SmState state, int[] path) {
            this.guid = guid;
            this.priority = priority;
            this.state = state;
            this.path = path;
        }

        private boolean isHigherThan(int otherPriority, long otherGuid) {
            return priority != otherPriority ? priority > otherPriority : Long.compareUnsigned(guid, otherGuid) < 0;
        }

        int[] path() {
            return path;
        }
    }

    private final SubnetOptions options;
    private final long guid;
    private SmState state = SmState.DISCOVERING;
    private @Nullable Rival rival;
    /** Polls without an answer, or sweeps in which a lower master has not handed over. */
    private int misses;

    SmElection(SubnetOptions options, long guid) {
        this.options = options;
        this.guid = guid;
    }

    SmState state() {
        return state;
    }

    void state(SmState next) {
        state = next;
        misses = 0;
    }

    /** The manager that is polled; null if there is none. */
    @Nullable
    Rival rival() {
        return rival;
    }

    /**
     * Returns another manager by its SMInfo; null for the own one, one with a foreign key, or one that is not active.
     */
    @Nullable
    Rival read(MemorySegment memory, long offset, int[] path) {
        SmState other = SmState.of(SmInfo.STATE.getInt(memory, offset));
        long otherGuid = SmInfo.GUID.get(memory, offset);
        return other == null || other == SmState.NOT_ACTIVE || otherGuid == guid || isForeign(memory, offset)
                ? null
                : new Rival(otherGuid, SmInfo.PRIORITY.getInt(memory, offset), other, path);
    }

    /** True if the key of SMInfo is that of another subnet. */
    boolean isForeign(MemorySegment memory, long offset) {
        long key = SmInfo.SM_KEY.get(memory, offset);
        return key != 0 && key != options.smKey();
    }

    private boolean isHigher(Rival other) {
        return other.isHigherThan(options.priority(), guid);
    }

    /** Decides after a discovery that found these managers. */
    Decision decide(List<Rival> found) {
        Rival master = found.stream()
                .filter(other -> other.state == SmState.MASTER)
                .max(RANK)
                .orElse(null);
        Rival highest = found.stream().max(RANK).orElse(null);
        if (state == SmState.MASTER) {
            if (highest != null && isHigher(highest) && highest.state != SmState.DISCOVERING) {
                rival = highest;
                return Decision.HAND_OVER;
            }
            misses = master == null ? 0 : misses + 1;
            return misses == 0 || misses > options.pollRetries() ? Decision.LEAD : Decision.WAIT;
        }
        rival = master != null ? master : highest != null && isHigher(highest) ? highest : null;
        return rival == null ? Decision.LEAD : Decision.FOLLOW;
    }

    /** Returns true if the polled manager is gone or manages no longer, so that there must be an election. */
    boolean polled(@Nullable Rival answer) {
        if (answer == null) {
            misses++;
            return misses > options.pollRetries();
        }
        misses = 0;
        return answer.state == SmState.STANDBY && !isHigher(answer);
    }

    /** True if the polled manager is the master although this one is higher: it must look again. */
    boolean mustYield(Rival answer) {
        return answer.state == SmState.MASTER && !isHigher(answer);
    }

    /**
     * Returns the state into which a Set of SMInfo of another manager leads; null if it is not allowed.
     *
     * @param command attribute modifier
     * @param sender state of the sender
     */
    @Nullable
    SmState ordered(int command, @Nullable SmState sender) {
        if (command == ACKNOWLEDGE) {
            return sender == SmState.STANDBY && state == SmState.MASTER ? state : null;
        }
        if (sender != SmState.MASTER) {
            return null;
        }
        return switch (command) {
            case HANDOVER -> state == SmState.NOT_ACTIVE ? null : state == SmState.STANDBY ? SmState.MASTER : state;
            case DISABLE -> state == SmState.STANDBY ? SmState.NOT_ACTIVE : null;
            case WAKE -> state == SmState.NOT_ACTIVE ? SmState.STANDBY : null;
            case DISCOVER -> state == SmState.STANDBY ? SmState.DISCOVERING : null;
            default -> null;
        };
    }
}
