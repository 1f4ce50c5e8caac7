package io.rdma4j.tools.pingpong;

import io.rdma4j.tools.cli.Option;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpType;
import java.util.List;

/** {@code ibv_uc_pingpong}: over an unreliable connection, where nothing is acknowledged and a lost message ends the game. */
public final class UcPingPong extends PingPongProgram {
    /** The program. */
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
