package io.rdma4j.testing.sim;

import io.rdma4j.verbs.QpType;
import java.util.EnumSet;
import java.util.Set;

/** What a connection of programs promises, and which steps it has. */
enum Service {
    RC(QpType.RC),
    XRC(QpType.XRC_INI),
    UC(QpType.UC),
    UD(QpType.UD);

    private final QpType type;

    Service(QpType type) {
        this.type = type;
    }

    /** Of the queue pairs that send. */
    QpType type() {
        return type;
    }

    /** What it has; of XRC without the steps that take keys back, since there those belong to the shared queue's domain. */
    Set<StepKind> kinds() {
        return switch (this) {
            case RC -> EnumSet.allOf(StepKind.class);
            case XRC ->
                EnumSet.complementOf(EnumSet.of(
                        StepKind.FLUSH,
                        StepKind.ATOMIC_WRITE,
                        StepKind.SEND_WITH_INVALIDATE,
                        StepKind.READ_WITH_INVALIDATE));
            case UC ->
                EnumSet.of(StepKind.SEND, StepKind.SEND_WITH_IMMEDIATE, StepKind.WRITE, StepKind.WRITE_WITH_IMMEDIATE);
            case UD -> EnumSet.of(StepKind.SEND, StepKind.SEND_WITH_IMMEDIATE);
        };
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
