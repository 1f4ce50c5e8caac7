// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WrOpcode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SendOperationTableTest {
    /**
     * The golden file was written from the manual page of ibv_post_send and the wire opcodes, not dumped from the
     * table.
     */
    @Test
    void whatCanBePostedWhereIsAsInTheGoldenFile() throws IOException {
        try (InputStream golden = Objects.requireNonNull(getClass().getResourceAsStream("/send-operations.txt"))) {
            assertThat(dump()).isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static String dump() {
        StringBuilder text = new StringBuilder(String.format("%-28s", ""));
        for (QpType type : QpType.values()) {
            text.append(' ').append(type);
        }
        for (WrOpcode opcode : WrOpcode.values()) {
            StringBuilder line = new StringBuilder(String.format("%-28s", opcode));
            for (QpType type : QpType.values()) {
                line.append(String.format(" %-" + type.name().length() + "s", isPostable(opcode, type) ? "x" : "-"));
            }
            text.append('\n').append(line.toString().stripTrailing());
        }
        return text.append('\n').toString();
    }

    private static boolean isPostable(WrOpcode opcode, QpType type) {
        SendStation station = new SendStation(type);
        SendRequest request = station.complete(opcode, new Fixture());
        try {
            station.post(request);
            return true;
        } catch (RdmaException e) {
            assertThat(e.errno()).isEqualTo(Errno.EINVAL);
            assertThat(e).hasMessageContaining(opcode + " cannot be posted to " + type);
            assertThat(station.posted()).isZero();
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(WrOpcode.class)
    void whatTheDeviceHasNotIsNotSupported(WrOpcode opcode) {
        QpType type = opcode == WrOpcode.TSO ? QpType.UD : QpType.RC;
        SendStation station = new SendStation(type, Set.of());
        SendRequest request = station.complete(opcode, new Fixture());

        assertRefused(Errno.EOPNOTSUPP, "queue pair has no " + opcode, () -> station.post(request));
    }

    @ParameterizedTest
    @EnumSource(WrOpcode.class)
    void onlyWhatThePeerNoticesCanBeSolicited(WrOpcode opcode) {
        QpType type = opcode == WrOpcode.TSO ? QpType.UD : QpType.RC;
        SendStation station = new SendStation(type);
        Set<WrOpcode> noticed = Set.of(
                WrOpcode.SEND,
                WrOpcode.SEND_WITH_IMM,
                WrOpcode.SEND_WITH_INV,
                WrOpcode.RDMA_WRITE_WITH_IMM,
                WrOpcode.TSO);
        SendRequest good = station.complete(opcode, new Fixture());
        SendRequest solicited = new SendRequest(
                1,
                opcode,
                Set.of(SendFlag.SOLICITED),
                good.sges(),
                good.immediate(),
                null,
                good.operation(),
                good.destination());

        if (noticed.contains(opcode)) {
            station.post(solicited);
        } else {
            assertRefused(Errno.EINVAL, "SOLICITED", () -> station.post(solicited));
        }
    }
}
