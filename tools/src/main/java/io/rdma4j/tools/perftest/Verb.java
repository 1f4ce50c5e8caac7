// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpType;
import java.util.List;
import java.util.Set;

/** Operation of a test. */
public enum Verb {
    /** SEND: the peer posts receives. */
    SEND("send", "Send", 236, AccessFlag.REMOTE_WRITE),
    /** RDMA WRITE: the peer's program sees it only in its memory. */
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

    /** Name in the output. */
    String title() {
        return title;
    }

    /** Default limit of inline messages in a latency test. */
    int inlineBytes(QpType service) {
        return service == QpType.UD ? 188 : inlineBytes;
    }

    /** Services that have the operation; XRC_INI represents XRC. */
    List<QpType> services() {
        return switch (this) {
            case SEND -> List.of(QpType.RC, QpType.XRC_INI, QpType.UC, QpType.UD);
            case WRITE -> List.of(QpType.RC, QpType.XRC_INI, QpType.UC);
            case READ, ATOMIC -> List.of(QpType.RC, QpType.XRC_INI);
        };
    }

    /** Name of a service for users. */
    static String name(QpType service) {
        return service == QpType.XRC_INI ? "XRC" : service.name();
    }

    /** Remote rights of a queue pair. */
    Set<AccessFlag> queuePairRights() {
        return Set.of(remoteRight);
    }

    /** Access rights of the memory. */
    Set<AccessFlag> memoryRights() {
        return Set.of(AccessFlag.LOCAL_WRITE, remoteRight);
    }

    /** True if the peer's device responds, so that a completion takes a whole round trip. */
    boolean isAnswered() {
        return this == READ || this == ATOMIC;
    }
}
