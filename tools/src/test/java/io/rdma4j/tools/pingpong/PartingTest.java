package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.tools.peer.ToolFailure;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartingTest {
    @Test
    void withoutAWordItGoesAtOnceAsTheOriginal() throws ToolFailure {
        assertThat(Parting.duration(null)).isZero();
    }

    @Test
    void itStaysAsLongAsTheUserSays() throws ToolFailure {
        assertThat(Parting.duration("200")).isEqualTo(Duration.ofMillis(200));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "60001", "1s", "99999999999999999999"})
    void whatIsNoTimeIsRefused(String text) {
        assertThatThrownBy(() -> Parting.duration(text))
                .isInstanceOf(ToolFailure.class)
                .hasMessage("RDMA4J_STAY_MS=" + text + ": not a number from 0 to 60000");
    }
}
