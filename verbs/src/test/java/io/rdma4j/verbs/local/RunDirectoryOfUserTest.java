// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunDirectoryOfUserTest {
    @Test
    void theRuntimeDirectoryOfTheSessionHoldsIt() {
        assertThat(RunDirectory.ofUser("/run/user/1000")).isEqualTo(Path.of("/run/user/1000/rdma4j"));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "relative/folder"})
    void aVariableThatNamesNoAbsolutePathCountsAsUnset(@Nullable String runtime) {
        assertThat(RunDirectory.ofUser(runtime))
                .isEqualTo(Path.of(System.getProperty("java.io.tmpdir"), "rdma4j-" + System.getProperty("user.name")));
    }
}
