// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.wr.WcStatus;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What programs see before they call a verb: names, versions, numbers and layouts. */
class PublicFaceTest {
    private static final Path C = Path.of("src/main/c");

    private static String names(String node) throws Exception {
        return resource("names-44.txt").replace("PRIVATE_34", node);
    }

    private static String resource(String name) throws Exception {
        try (InputStream in = PublicFaceTest.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    @Covers({"DROPIN-1", "DROPIN-2"})
    void everyNameOfTheOriginalIsThereUnderItsVersion() throws Exception {
        String said =
                CPrograms.feed("names", names("PRIVATE_34"), CPrograms.library().toString());

        assertThat(said).isEqualTo("147 found\n");
    }

    @Test
    @Covers("DROPIN-2")
    void privateNamesHaveTheNodesOfNewerReleases() throws Exception {
        for (String release : List.of("59", "64")) {
            String wanted =
                    names("PRIVATE_" + release).replace("verbs_register_driver_34", "verbs_register_driver_" + release);
            String said = CPrograms.feed("names", wanted, CPrograms.library().toString());

            assertThat(said).isEqualTo("147 found\n");
        }
    }

    @Test
    void commandsHaveTheSameNumbersInCAndJava() throws Exception {
        String header = Files.readString(C.resolve("rdma4j.h"));
        Matcher list = Pattern.compile("enum command \\{([^}]*)}").matcher(header);
        assertThat(list.find()).isTrue();

        assertThat(list.group(1).trim().split("\\s*,\\s*"))
                .isEqualTo(Arrays.stream(VerbCommand.values()).map(Enum::name).toArray());
    }

    /** The rest belongs to Java. Blank lines and comments do not count. */
    @Test
    void theLibraryHasAtMostTwoThousandLinesOfC() throws Exception {
        try (Stream<Path> files = Files.list(C)) {
            long lines = 0;
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".c")).toList()) {
                String code = Files.readString(file).replaceAll("(?s)/\\*.*?\\*/", "");
                lines += code.lines().filter(line -> !line.isBlank()).count();
            }
            assertThat(lines).isBetween(1L, 2000L);
        }
    }

    @Test
    @Covers("DROPIN-3")
    void structuresHaveTheLayoutThatProgramsWereCompiledWith() throws Exception {
        Path headers = Path.of("/usr/include/infiniband/verbs.h");
        String layout = CPrograms.run("layout");

        if (System.getProperty("os.arch").equals("amd64")) {
            assertThat(layout).isEqualTo(resource("layout-x86-64.txt"));
        }
        if (Files.exists(headers)) {
            assertThat(layout).isEqualTo(CPrograms.run("layout", List.of("-DINSTALLED")));
        }
    }

    @Test
    @Covers("DROPIN-4")
    void textsAndRatesAreThoseOfTheVerbs() throws Exception {
        List<String> lines = new ArrayList<>();
        for (WcStatus status : WcStatus.values()) {
            lines.add("status " + status.code() + " " + status.text());
        }
        for (EventType type : EventType.values()) {
            lines.add("event " + type.code() + " " + type.text());
        }
        for (NodeType type : NodeType.values()) {
            lines.add("node " + type.code() + " " + type.text());
        }
        for (Rate rate : Rate.values()) {
            if (rate != Rate.PORT_CURRENT) {
                lines.add("rate " + rate.code() + " " + rate.multiple() + " " + rate.mbps());
            }
        }

        assertThat(CPrograms.run("texts").lines()).containsAll(lines);
    }
}
