// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BindPrivilegeTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"0000000000000400, true", "00000000a80425fb, true", "0000000000000000, false", "fffffffffffffbff, false"
    })
    void theCapabilityToBindServicesCounts(String mask, boolean isGranted) throws IOException {
        Path status = directory.resolve("status");
        Files.writeString(status, "Name:\tjava\nCapPrm:\tffffffffffffffff\nCapEff:\t" + mask + "\n");
        assertThat(new BindPrivilege(status).isGranted()).isEqualTo(isGranted);
    }

    @Test
    void onOtherSystemsRootMayBindThem() {
        boolean isRoot = "root".equals(System.getProperty("user.name"));
        assertThat(new BindPrivilege(directory.resolve("none")).isGranted()).isEqualTo(isRoot);
    }
}
