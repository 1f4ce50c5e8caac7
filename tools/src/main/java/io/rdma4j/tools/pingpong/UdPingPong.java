// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.peer.Attempt;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.util.List;

/** {@code ibv_ud_pingpong}: ping-pong with datagrams of at most one packet, received behind a global route header. */
public final class UdPingPong extends PingPongProgram {
    /** Q_Key of both sides. */
    static final int QKEY = 0x1111_1111;

    private static final int GRH_BYTES = 40;

    /** Creates the program. */
    public UdPingPong() {
        super("ibv_ud_pingpong", QpType.UD);
    }

    @Override
    List<Option> options() {
        return PingPongOptions.with(this);
    }

    @Override
    int defaultSizeBytes() {
        return 1024;
    }

    @Override
    int headroomBytes() {
        return GRH_BYTES;
    }

    @Override
    String noSuchGid(int index) {
        return "Could not get local gid for gid index " + index;
    }

    /** The original prints a colon where the other programs print a comma, except for the remote address. */
    @Override
    String localLine(PingPongAddress local) {
        return local.line("local address", ":");
    }

    @Override
    void check(PingPongOptions options, Context context) throws ToolFailure {
        int port = options.port();
        int mtu = Attempt.to("Unable to query port info for port " + port, () -> context.queryPort(port))
                .activeMtu()
                .bytes();
        if (options.sizeBytes() > mtu) {
            throw new ToolFailure("Requested size larger than port MTU (" + mtu + ")");
        }
    }

    @Override
    QpAttributes toInit(PingPongOptions options) {
        return init(options).qkey(QKEY).build();
    }

    /** Without path: each datagram has its own. */
    @Override
    QpAttributes toRtr(PingPongOptions options, AddressVector path, PingPongAddress remote) {
        return QpAttributes.builder().state(QpState.RTR).build();
    }

    @Override
    QpAttributes toRts(int psn) {
        return ready(psn).build();
    }

    @Override
    int hopLimit() {
        return 64;
    }
}
