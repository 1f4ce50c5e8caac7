// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.tools.peer.DeviceChoice;
import io.rdma4j.verbs.Rdma;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Over unreliable services a peer that does not respond ends the ping-pong too. */
@Timeout(60)
class SilentPeerTest {
    private static final long STALL_NS = TimeUnit.MILLISECONDS.toNanos(300);

    @ParameterizedTest
    @ValueSource(strings = {"", "-e"})
    void aMessageThatIsNotAnsweredIsNoticed(String words) throws Exception {
        PingPongProgram program = new UdPingPong();
        PingPongOptions options = PingPongOptionsTest.parse(program, words.split(" "));
        try (PingPongContext here = PingPongContext.open(DeviceChoice.find(Rdma::host, "rxe_lo"), program, options)) {
            PingPongLoop loop = new PingPongLoop(here, program, options, STALL_NS);
            loop.prepare();
            PingPongAddress nobody = new PingPongAddress(
                    0, 0xABCDEF, 1, here.localAddresses().getFirst().gid());
            here.connect(List.of(nobody));
            assertThatThrownBy(() -> loop.run(true))
                    .hasMessageStartingWith(
                            "The peer has not answered for 0.3 seconds: it is gone, or a message was lost");
        }
    }
}
