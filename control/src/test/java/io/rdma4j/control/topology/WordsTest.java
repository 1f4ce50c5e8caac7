package io.rdma4j.control.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WordsTest {
    @Test
    void spacesSeparateAndQuotesKeepTogether() {
        assertThat(Words.split("  a  b\t'c d' \"e ' f\" g''h \"\""))
                .containsExactly("a", "b", "c d", "e ' f", "gh", "");
    }

    @Test
    void aCommentBeginsAWord() {
        assertThat(Words.split("a b#c #d e")).containsExactly("a", "b#c");
        assertThat(Words.split("# nothing")).isEmpty();
    }
}
