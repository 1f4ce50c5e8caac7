// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConfigWordsTest {
    @Test
    void spacesSeparateAndQuotesKeepTogether() {
        assertThat(ConfigWords.split("  a  b\t'c d' \"e ' f\" g''h \"\""))
                .containsExactly("a", "b", "c d", "e ' f", "gh", "");
    }

    @Test
    void aCommentBeginsAWord() {
        assertThat(ConfigWords.split("a b#c #d e")).containsExactly("a", "b#c");
        assertThat(ConfigWords.split("# nothing")).isEmpty();
    }
}
