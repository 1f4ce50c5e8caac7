// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.tools.cli.Option;
import io.rdma4j.verbs.values.QpType;
import java.util.List;

/** {@code ibv_rc_pingpong}: ping-pong over reliable connections. */
public final class RcPingPong extends PingPongProgram {
    /** Creates the program. */
    public RcPingPong() {
        super("ibv_rc_pingpong", QpType.RC);
    }

    @Override
    List<Option> options() {
        return PingPongOptions.with(
                this,
                PingPongOptions.MTU,
                Option.flag('t', PingPongOptions.TIMESTAMPS, "get CQE with timestamp"),
                Option.flag('N', PingPongOptions.NEW_SEND, "use new post send WR API"),
                PingPongOptions.ODP,
                Option.flag('O', "iodp", "use implicit on demand paging (refused: not supported)"),
                Option.flag('P', "prefetch", "prefetch an ODP MR (refused: not supported)"),
                Option.flag('j', PingPongOptions.DEVICE_MEMORY, "use device memory"),
                Option.flag(
                        'U', "allow-cc-unprotected", "memory that a confidential guest shares (refused: not needed)"));
    }
}
