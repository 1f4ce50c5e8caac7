// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.tools.cli.Option;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpType;
import java.util.List;

/**
 * {@code ibv_uc_pingpong}: ping-pong over unreliable connections. A lost message ends it, because nothing is
 * retransmitted.
 */
public final class UcPingPong extends PingPongProgram {
    /** Creates the program. */
    public UcPingPong() {
        super("ibv_uc_pingpong", QpType.UC);
    }

    @Override
    List<Option> options() {
        return PingPongOptions.with(this, PingPongOptions.MTU);
    }

    @Override
    QpAttributes toRtr(PingPongOptions options, AddressVector path, PingPongAddress remote) {
        return connected(options, path, remote).build();
    }

    @Override
    QpAttributes toRts(int psn) {
        return ready(psn).build();
    }
}
