// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.util.List;
import java.util.Set;

/**
 * Differences between the ping-pong programs. The defaults are those of {@code ibv_rc_pingpong}; attributes, sizes and
 * texts are those of the originals.
 */
public abstract class PingPongProgram {
    private final String name;
    private final QpType type;

    PingPongProgram(String name, QpType type) {
        this.name = name;
        this.type = type;
    }

    /** Returns the name that users type. */
    public String name() {
        return name;
    }

    /** Type of its queue pairs. */
    QpType type() {
        return type;
    }

    /** Options of the program. */
    abstract List<Option> options();

    /** Default message size. */
    int defaultSizeBytes() {
        return 4096;
    }

    /** Value of the bytes of a message. */
    byte fill() {
        return 0x7B;
    }

    /** Bytes that the device writes before a received message. */
    int headroomBytes() {
        return 0;
    }

    /** True if all queue pairs share a receive queue. */
    boolean sharesReceives() {
        return false;
    }

    /** Number of addresses that each side sends, for any number of queue pairs; unused ones are zero. */
    int addresses() {
        return 1;
    }

    /** Name of a queue pair in messages. */
    String queuePair(int index) {
        return "QP";
    }

    /** Message if the slot of the GID table cannot be read. */
    String noSuchGid(int index) {
        return "can't read sgid of index " + index;
    }

    /** Formats the line with the local address. */
    String localLine(PingPongAddress local) {
        return local.line("local address", ",");
    }

    /** @throws ToolFailure if the device does not support an option */
    void check(PingPongOptions options, Context context) throws ToolFailure {}

    QpAttributes toInit(PingPongOptions options) {
        return init(options).accessFlags(Set.of()).build();
    }

    static QpAttributes.Builder init(PingPongOptions options) {
        return QpAttributes.builder().state(QpState.INIT).pkeyIndex(0).port(options.port());
    }

    QpAttributes toRtr(PingPongOptions options, AddressVector path, PingPongAddress remote) {
        return connected(options, path, remote)
                .maxDestRdAtomic(1)
                .minRnrTimer(12)
                .build();
    }

    /** Attributes of every connected service for RTR. */
    static QpAttributes.Builder connected(PingPongOptions options, AddressVector path, PingPongAddress remote) {
        return QpAttributes.builder()
                .state(QpState.RTR)
                .addressVector(path)
                .pathMtu(options.pathMtu())
                .destinationQpn(remote.qpn())
                .rqPsn(remote.psn());
    }

    QpAttributes toRts(int psn) {
        return ready(psn).timeout(14).retryCount(7).rnrRetry(7).maxRdAtomic(1).build();
    }

    /** Attributes of every service for RTS. */
    static QpAttributes.Builder ready(int psn) {
        return QpAttributes.builder().state(QpState.RTS).sqPsn(psn);
    }

    /** Hop limit of the path to the peer. */
    int hopLimit() {
        return 1;
    }
}
