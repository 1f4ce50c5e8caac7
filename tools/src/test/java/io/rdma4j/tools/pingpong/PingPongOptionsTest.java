// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.OptionTable;
import io.rdma4j.tools.cli.UsageException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PingPongOptionsTest {
    private static PingPongOptions parse(String... words) {
        return parse(new RcPingPong(), words);
    }

    static PingPongOptions parse(PingPongProgram program, String... words) {
        return PingPongOptions.of(program, new OptionTable(program.options().toArray(Option[]::new)).parse(words));
    }

    @Test
    @Covers("TOOL-3")
    void defaultsAreThoseOfTheOriginal() {
        assertThat(parse())
                .isEqualTo(new PingPongOptions(
                        18515,
                        null,
                        1,
                        4096,
                        Mtu.MTU_1024,
                        1,
                        500,
                        1000,
                        0,
                        false,
                        -1,
                        false,
                        false,
                        false,
                        false,
                        false,
                        false,
                        null,
                        null));
    }

    @Test
    @Covers("TOOL-3")
    void lettersAndNamesMeanTheSame() {
        PingPongOptions expected = new PingPongOptions(
                7,
                "rxe0",
                2,
                64,
                Mtu.MTU_4096,
                1,
                10,
                20,
                3,
                true,
                4,
                true,
                true,
                false,
                true,
                true,
                false,
                null,
                "host");
        assertThat(parse(
                        "-p7", "-drxe0", "-i2", "-s64", "-m4096", "-r10", "-n20", "-l3", "-g4", "-e", "-t", "-c", "-j",
                        "-N", "host"))
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
                        "--dm",
                        "--new_send"))
                .isEqualTo(expected);
    }

    @Test
    void ourOwnOptionsAreThere() {
        assertThat(parse("--device=rxe0=udp:127.0.0.9").device()).isEqualTo("rxe0=udp:127.0.0.9");
        assertThat(parse("--json").json()).isTrue();
    }

    @Test
    @Covers("TOOL-3")
    void onDemandPagingIsAnOptionOfItsOwn() {
        assertThat(parse("-o").onDemand()).isTrue();
        assertThat(parse("--odp").deviceMemory()).isFalse();
        assertThat(parse(new SrqPingPong(), "-o").onDemand()).isTrue();
        assertThatThrownBy(() -> parse("-o", "-j"))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("DM memory region can't be on demand");
    }

    @ParameterizedTest
    @CsvSource({
        "-O, implicit ODP",
        "--iodp, implicit ODP",
        "-P, ibv_advise_mr",
        "--prefetch, ibv_advise_mr",
        "-U, confidential guest",
        "--allow-cc-unprotected, confidential guest"
    })
    void whatTheVerbsDoNotHaveIsRefusedWithTheReason(String word, String reason) {
        assertThatThrownBy(() -> parse(word)).isInstanceOf(UsageException.class).hasMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"-m1500", "-m0", "-s0", "-s-1", "-s4294967296", "-n0", "-r0", "-l16", "-i0", "-p65536", "-nmany"
            })
    void valuesOutOfRangeAreRefused(String word) {
        assertThatThrownBy(() -> parse(word)).isInstanceOf(UsageException.class).hasMessageStartingWith("--");
    }

    @Test
    void aProgramHasTheOptionsOfItsOriginal() {
        assertThat(letters(new RcPingPong())).isEqualTo("NOPUcdegijlmnoprst");
        assertThat(letters(new UcPingPong())).isEqualTo("cdegilmnprs");
        assertThat(letters(new UdPingPong())).isEqualTo("cdegilnprs");
        assertThat(letters(new SrqPingPong())).isEqualTo("cdegilmnopqrs");
    }

    private static String letters(PingPongProgram program) {
        return program.options().stream()
                .map(Option::letter)
                .filter(letter -> letter != Option.NO_LETTER)
                .sorted()
                .map(String::valueOf)
                .collect(Collectors.joining());
    }

    @Test
    void datagramsAreSmallByDefaultAndSharedQueuesServeSixteen() {
        assertThat(parse(new UdPingPong()).sizeBytes()).isEqualTo(1024);
        assertThat(parse(new SrqPingPong()).queuePairs()).isEqualTo(16);
        assertThat(parse(new SrqPingPong(), "-q256", "-r256").queuePairs()).isEqualTo(256);
    }

    @Test
    void aSharedQueueHasAReceiveForEachConnection() {
        assertThatThrownBy(() -> parse(new SrqPingPong(), "-q16", "-r15"))
                .hasMessage("rx_depth 15 is too small for 16 QPs -- must have at least one receive per QP.");
        assertThatThrownBy(() -> parse(new SrqPingPong(), "-q257")).hasMessage("--num-qp=257 is not in 1..256");
    }
}
