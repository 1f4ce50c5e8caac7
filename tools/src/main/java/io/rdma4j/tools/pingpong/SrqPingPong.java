// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.tools.cli.Option;
import io.rdma4j.verbs.values.QpType;
import java.util.List;

/** {@code ibv_srq_pingpong}: ping-pong over many reliable connections that share a receive queue. */
public final class SrqPingPong extends PingPongProgram {
    /** Maximum of the original, which always exchanges so many addresses. */
    static final int MAX_QUEUE_PAIRS = 256;

    static final int DEFAULT_QUEUE_PAIRS = 16;

    /** Creates the program. */
    public SrqPingPong() {
        super("ibv_srq_pingpong", QpType.RC);
    }

    @Override
    List<Option> options() {
        return PingPongOptions.with(
                this,
                PingPongOptions.MTU,
                Option.value(
                        'q',
                        PingPongOptions.QUEUE_PAIRS,
                        "num",
                        "number of QPs to use (default " + DEFAULT_QUEUE_PAIRS + ")"),
                PingPongOptions.ODP);
    }

    @Override
    byte fill() {
        return 0;
    }

    @Override
    boolean sharesReceives() {
        return true;
    }

    @Override
    int addresses() {
        return MAX_QUEUE_PAIRS;
    }

    @Override
    String queuePair(int index) {
        return "QP[" + index + "]";
    }

    @Override
    String noSuchGid(int index) {
        return "Could not get local gid for gid index " + index;
    }
}
