// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceAttribute;
import io.rdma4j.netlab.command.files.FileTree;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileTreeTest {
    private final FileTree files = new FileTree();

    FileTreeTest() {
        files.value("/sys/devices/net/eth0/mtu", DeviceAttribute.readOnly(() -> "1500"));
        files.link("/sys/class/net/eth0", "../../devices/net/eth0");
        files.link("/sys/class/net/eth1", "/sys/devices/net/eth0");
        files.link("/loop/a", "b");
        files.link("/loop/b", "a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/sys/devices/net/eth0/mtu",
                "/sys/class/net/eth0/mtu",
                "/sys/class/net/eth1/mtu",
                "//sys/./class/net/../net/eth0/mtu"
            })
    void linksAndDotsAreFollowed(String path) {
        assertThat(files.attribute(path).show().get()).isEqualTo("1500");
    }

    @Test
    void linksThatLeadToEachOtherEnd() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> files.stat("/loop/a"))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ELOOP));
        assertThat(files.lstat("/loop/a")).isEqualTo(new FileTree.Link("b"));
    }

    @Test
    void patternsMeanWhatIsThere() {
        assertThat(files.matching("/sys/*/net")).containsExactly("/sys/class/net", "/sys/devices/net");
        assertThat(files.matching("/sys/class/net/eth?/mt*"))
                .containsExactly("/sys/class/net/eth0/mtu", "/sys/class/net/eth1/mtu");
        assertThat(files.matching("/sys/x*")).containsExactly("/sys/x*");
        assertThat(files.matching("/sys/class/net/eth0/m[u")).containsExactly("/sys/class/net/eth0/m[u");
    }

    @Test
    void foldersHaveNoTextAndValuesHaveNoNames() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> files.attribute("/sys/class"))
                .withMessageContaining("Is a directory");
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> files.list("/sys/class/net/eth0/mtu"))
                .withMessageContaining("Not a directory");
        assertThat(files.list("/")).containsExactly("loop", "sys");
    }
}
