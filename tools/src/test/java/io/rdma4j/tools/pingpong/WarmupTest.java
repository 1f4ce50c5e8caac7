// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.device.LinkLayer;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WarmupTest {
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(20);

    static Stream<PingPongProgram> programs() {
        return Stream.of(new RcPingPong(), new UcPingPong(), new UdPingPong(), new SrqPingPong());
    }

    /** Runs it twice, so that its devices and other objects must be gone after the first run. */
    @ParameterizedTest
    @MethodSource("programs")
    void everyPingPongPlaysWithItself(PingPongProgram program) {
        Warmup warmup = new Warmup(LinkLayer.ETHERNET, program, PingPongOptionsTest.parse(program, "-c"), STALL_NS);
        assertThatCode(warmup::run).doesNotThrowAnyException();
        assertThatCode(warmup::run).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("programs")
    void onASubnetItPlaysOverASwitch(PingPongProgram program) {
        Warmup warmup = new Warmup(LinkLayer.INFINIBAND, program, PingPongOptionsTest.parse(program, "-c"), STALL_NS);
        assertThatCode(warmup::run).doesNotThrowAnyException();
    }

    @Test
    void whatCannotBePlayedCannotBeRehearsed() {
        PingPongProgram program = new UdPingPong();
        Warmup warmup =
                new Warmup(LinkLayer.ETHERNET, program, PingPongOptionsTest.parse(program, "-s", "70000"), STALL_NS);
        assertThatExceptionOfType(ToolFailure.class).isThrownBy(warmup::run);
    }

    /** Only the launcher requests the warm-up; a program that runs a tool in its own JVM does not. */
    @Test
    void nobodyRehearsesUnasked() {
        assertThat(Warmup.isWanted()).isFalse();
    }
}
