package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PingPongOptionsTest {
    private static PingPongOptions parse(String... words) {
        return PingPongOptions.of(new OptionTable(PingPongOptions.table()).parse(words));
    }

    @Test
    @Covers("TOOL-3")
    void defaultsAreThoseOfTheOriginal() {
        assertThat(parse())
                .isEqualTo(new PingPongOptions(
                        18515, null, 1, 4096, Mtu.MTU_1024, 500, 1000, 0, false, -1, false, false, false, false, null));
    }

    @Test
    @Covers("TOOL-3")
    void lettersAndNamesMeanTheSame() {
        PingPongOptions expected = new PingPongOptions(
                7, "rxe0", 2, 64, Mtu.MTU_4096, 10, 20, 3, true, 4, true, true, true, false, "host");
        assertThat(parse(
                        "-p7", "-drxe0", "-i2", "-s64", "-m4096", "-r10", "-n20", "-l3", "-g4", "-e", "-t", "-c", "-N",
                        "host"))
                .isEqualTo(expected);
        assertThat(parse(
                        "host",
                        "--port=7",
                        "--ib-dev=rxe0",
                        "--ib-port=2",
                        "--size=64",
                        "--mtu=4096",
                        "--rx-depth=10",
                        "--iters=20",
                        "--sl=3",
                        "--gid-idx=4",
                        "--events",
                        "--ts",
                        "--chk",
                        "--new_send"))
                .isEqualTo(expected);
    }

    @Test
    void ourOwnOptionsAreThere() {
        assertThat(parse("--device=rxe0=udp:127.0.0.9").device()).isEqualTo("rxe0=udp:127.0.0.9");
        assertThat(parse("--json").json()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"-o", "-O", "-P", "-j", "-U", "--odp", "--iodp", "--prefetch", "--dm", "--allow-cc-unprotected"})
    void whatHasNoMeaningHereIsRefusedWithAWayOn(String word) {
        assertThatThrownBy(() -> parse(word))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("has no meaning here")
                .hasMessageContaining("leave it out");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"-m1500", "-m0", "-s0", "-s-1", "-s4294967296", "-n0", "-r0", "-l16", "-i0", "-p65536", "-nmany"
            })
    void valuesOutOfRangeAreRefused(String word) {
        assertThatThrownBy(() -> parse(word)).isInstanceOf(UsageException.class).hasMessageStartingWith("--");
    }

    @Test
    void wrongUsageEndsWithOneAsTheOriginal() {
        StringWriter err = new StringWriter();
        Main main = new Main(new PrintWriter(new StringWriter()), new PrintWriter(err, true));
        assertThat(main.run("ibv_rc_pingpong", "-j")).isEqualTo(1);
        assertThat(main.run("ibv_rc_pingpong", "--frob")).isEqualTo(1);
        assertThat(main.run("ibv_rc_pingpong", "one", "two")).isEqualTo(1);
        assertThat(err.toString().lines())
                .contains(
                        "ibv_rc_pingpong: there is no option --frob",
                        "ibv_rc_pingpong: 'two' is one argument too many",
                        "'./rdma4j help ibv_rc_pingpong' shows the options");
    }
}
