// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.tools.peer.ToolFailure;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LingerTest {
    @Test
    void withoutAWordItGoesAtOnceAsTheOriginal() throws ToolFailure {
        assertThat(Linger.duration(null)).isZero();
    }

    @Test
    void itStaysAsLongAsTheUserSays() throws ToolFailure {
        assertThat(Linger.duration("200")).isEqualTo(Duration.ofMillis(200));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "60001", "1s", "99999999999999999999"})
    void whatIsNoTimeIsRefused(String text) {
        assertThatThrownBy(() -> Linger.duration(text))
                .isInstanceOf(ToolFailure.class)
                .hasMessage("RDMA4J_LINGER_MS=" + text + ": not a number from 0 to 60000");
    }
}
