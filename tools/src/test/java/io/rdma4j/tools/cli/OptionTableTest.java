// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionTableTest {
    private final OptionTable table = new OptionTable(
            Option.value('s', "size", "size", "of a message"),
            Option.value('l', "sl", "sl", "service level"),
            Option.flag('e', "events", "sleep"),
            Option.flag('t', "ts", "timestamps"),
            Option.JSON);

    @ParameterizedTest
    @ValueSource(
            strings = {"-s 64", "-s64", "--size 64", "--size=64", "--si=64", "-e -s 64", "-es64", "-es 64", "-s 1 -s 64"
            })
    void anArgumentMayStandInManyPlaces(String words) {
        assertThat(table.parse(words.split(" ")).number("size", 0, 0, 100)).isEqualTo(64);
    }

    @Test
    void lettersMayStandTogether() {
        Options options = table.parse("-et");
        assertThat(options.has("events")).isTrue();
        assertThat(options.has("ts")).isTrue();
        assertThat(options.has("size")).isFalse();
        assertThat(options.text("size")).isNull();
    }

    @Test
    void operandsAndOptionsMix() {
        assertThat(table.parse("a", "-e", "b", "-", "--", "-t", "--x").operands())
                .containsExactly("a", "b", "-", "-t", "--x");
    }

    @ParameterizedTest
    @CsvSource({"10,10", "0x10,16", "010,8", "0,0", "-1,-1"})
    void numbersAreReadAsInC(String text, int value) {
        assertThat(table.parse("-s", text).number("size", 5, -1, 100)).isEqualTo(value);
    }

    @Test
    void anAbsentNumberHasItsDefault() {
        assertThat(table.parse().number("size", 4096, 1, 10)).isEqualTo(4096);
    }

    @ParameterizedTest
    @CsvSource({
        "-x,there is no option -x",
        "--frob,there is no option --frob",
        "--s=3,--s may be --size or --sl",
        "--events=1,--events takes no argument",
        "-s,'an argument is missing: -s, --size=<size>'",
        "--size,'an argument is missing: -s, --size=<size>'"
    })
    void mistakesAreNamed(String word, String message) {
        assertThatThrownBy(() -> table.parse(word))
                .isInstanceOf(UsageException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({
        "12abc,--size=12abc is not a number",
        "'',--size= is not a number",
        "0,--size=0 is not in 1..100",
        "101,--size=101 is not in 1..100",
        "99999999999999999999,--size=99999999999999999999 is not a number",
        "4294967297,--size=4294967297 is not in 1..100"
    })
    void badNumbersAreNamed(String text, String message) {
        Options options = table.parse("-s", text);
        assertThatThrownBy(() -> options.number("size", 1, 1, 100)).hasMessage(message);
    }

    @Test
    void helpAlignsTheOptions() {
        StringWriter help = new StringWriter();
        table.printHelp(new PrintWriter(help, true));
        assertThat(help.toString().lines())
                .containsExactly(
                        "  -s, --size=<size>  of a message",
                        "  -l, --sl=<sl>      service level",
                        "  -e, --events       sleep",
                        "  -t, --ts           timestamps",
                        "      --json         print one JSON document instead",
                        "  -h, --help         show this help");
    }
}
