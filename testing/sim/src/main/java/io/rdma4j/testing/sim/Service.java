package io.rdma4j.testing.sim;

import io.rdma4j.verbs.QpType;
import java.util.EnumSet;
import java.util.Set;

/** What a connection of programs promises, and which steps it has. */
enum Service {
    RC(QpType.RC, EnumSet.allOf(StepKind.class)),
    /** What a peer's SEND could take back here belongs to another protection domain than its shared queue. */
    XRC(
            QpType.XRC_INI,
            EnumSet.complementOf(EnumSet.of(
                    StepKind.FLUSH,
                    StepKind.ATOMIC_WRITE,
                    StepKind.SEND_WITH_INVALIDATE,
                    StepKind.READ_WITH_INVALIDATE))),
    UC(
            QpType.UC,
            EnumSet.of(StepKind.SEND, StepKind.SEND_WITH_IMMEDIATE, StepKind.WRITE, StepKind.WRITE_WITH_IMMEDIATE)),
    UD(QpType.UD, EnumSet.of(StepKind.SEND, StepKind.SEND_WITH_IMMEDIATE));

    private final QpType type;

    @SuppressWarnings("ImmutableEnumChecker") // nobody changes it
    private final Set<StepKind> kinds;

    Service(QpType type, Set<StepKind> kinds) {
        this.type = type;
        this.kinds = kinds;
    }

    /** Of the queue pairs that send. */
    QpType type() {
        return type;
    }

    Set<StepKind> kinds() {
        return kinds;
    }

    /** True if everything arrives, once and in order. */
    boolean isReliable() {
        return this == RC || this == XRC;
    }

    /** Bytes in front of each message received: where it came from. */
    int routeBytes() {
        return this == UD ? 40 : 0;
    }
}
