package io.rdma4j.tools.perftest;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.QpType;
import java.util.List;
import java.util.Set;

/** What a test does to the other side. */
public enum Verb {
    /** SEND: the other side receives. */
    SEND("send", "Send", 236, AccessFlag.REMOTE_WRITE),
    /** RDMA WRITE: the other side does not notice, unless it looks at its memory. */
    WRITE("write", "RDMA_Write", 220, AccessFlag.REMOTE_WRITE),
    /** RDMA READ. */
    READ("read", "RDMA_Read", 0, AccessFlag.REMOTE_READ),
    /** Fetch-and-add or compare-and-swap. */
    ATOMIC("atomic", "Atomic", 0, AccessFlag.REMOTE_ATOMIC);

    private final String word;
    private final String title;
    private final int inlineBytes;
    private final AccessFlag remoteRight;

    Verb(String word, String title, int inlineBytes, AccessFlag remoteRight) {
        this.word = word;
        this.title = title;
        this.inlineBytes = inlineBytes;
        this.remoteRight = remoteRight;
    }

    /** Part of the tool's name. */
    String word() {
        return word;
    }

    /** What the output calls it. */
    String title() {
        return title;
    }

    /** Messages of a latency test are sent inline up to this size, if the user says nothing else. */
    int inlineBytes(QpType service) {
        return service == QpType.UD ? 188 : inlineBytes;
    }

    /** The services on which it can be done. */
    List<QpType> services() {
        return switch (this) {
            case SEND -> List.of(QpType.RC, QpType.UC, QpType.UD);
            case WRITE -> List.of(QpType.RC, QpType.UC);
            case READ, ATOMIC -> List.of(QpType.RC);
        };
    }

    /** What the other side may do to a queue pair. */
    Set<AccessFlag> queuePairRights() {
        return Set.of(remoteRight);
    }

    /** What the device may do to the memory. */
    Set<AccessFlag> memoryRights() {
        return Set.of(AccessFlag.LOCAL_WRITE, remoteRight);
    }

    /** The other side's device answers, so that a completion is a whole round trip. */
    boolean isAnswered() {
        return this == READ || this == ATOMIC;
    }
}
