package io.rdma4j.tools.pingpong;

import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import java.util.List;
import java.util.Set;

/**
 * What one of the ping-pong programs does in its own way. The defaults are those of {@code ibv_rc_pingpong}; attributes, sizes
 * and texts are those of the originals.
 */
public abstract class PingPongProgram {
    private final String name;
    private final QpType type;

    PingPongProgram(String name, QpType type) {
        this.name = name;
        this.type = type;
    }

    /** What the user types. */
    public String name() {
        return name;
    }

    /** Service of its queue pairs. */
    QpType type() {
        return type;
    }

    /** What the user may say. */
    abstract List<Option> options();

    /** Of a message, if the user does not say. */
    int defaultSizeBytes() {
        return 4096;
    }

    /** Of which each message consists. */
    byte fill() {
        return 0x7B;
    }

    /** Bytes that the device puts in front of a received message. */
    int headroomBytes() {
        return 0;
    }

    /** Receives come from a queue that all queue pairs share. */
    boolean sharesReceives() {
        return false;
    }

    /** Addresses that each side tells, however many queue pairs it has; those that are too many are zero. */
    int addresses() {
        return 1;
    }

    /** What texts call a queue pair. */
    String queuePair(int index) {
        return "QP";
    }

    /** What is printed if the slot of the GID table cannot be read. */
    String noSuchGid(int index) {
        return "can't read sgid of index " + index;
    }

    /** The line that tells the user where this side can be reached. */
    String localLine(PingPongAddress local) {
        return local.line("local address", ",");
    }

    /** @throws ToolFailure if the device cannot do what the user wants */
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

    /** What every connected service needs to become ready to receive. */
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

    /** What every service needs to become ready to send. */
    static QpAttributes.Builder ready(int psn) {
        return QpAttributes.builder().state(QpState.RTS).sqPsn(psn);
    }

    /** Of the path to the peer. */
    int hopLimit() {
        return 1;
    }
}
