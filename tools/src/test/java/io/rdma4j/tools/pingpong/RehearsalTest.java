package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.tools.peer.ToolFailure;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RehearsalTest {
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(20);

    static Stream<PingPongProgram> programs() {
        return Stream.of(new RcPingPong(), new UcPingPong(), new UdPingPong(), new SrqPingPong());
    }

    /** Twice: what it has made is gone when it ends, its devices above all. */
    @ParameterizedTest
    @MethodSource("programs")
    void everyPingPongPlaysWithItself(PingPongProgram program) {
        Rehearsal rehearsal = new Rehearsal(program, PingPongOptionsTest.parse(program, "-c"), STALL_NS);
        assertThatCode(rehearsal::run).doesNotThrowAnyException();
        assertThatCode(rehearsal::run).doesNotThrowAnyException();
    }

    @Test
    void whatCannotBePlayedCannotBeRehearsed() {
        PingPongProgram program = new UdPingPong();
        Rehearsal rehearsal = new Rehearsal(program, PingPongOptionsTest.parse(program, "-s", "70000"), STALL_NS);
        assertThatExceptionOfType(ToolFailure.class).isThrownBy(rehearsal::run);
    }

    /** Only the launcher asks for it: what runs a tool inside another program does not. */
    @Test
    void nobodyRehearsesUnasked() {
        assertThat(Rehearsal.isWanted()).isFalse();
    }
}
