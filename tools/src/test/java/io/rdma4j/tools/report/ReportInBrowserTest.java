// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Draws a page in headless Chromium and measures each text: no text leaves its picture, no two texts overlap. Skipped
 * without Chromium.
 */
class ReportInBrowserTest {
    private static final long TIMEOUT_S = 90;
    private static final Pattern VERDICT = Pattern.compile("<pre id=\"verdict\">(.*?)</pre>", Pattern.DOTALL);

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"1280,light", "1280,dark", "700,light"})
    void nothingOverlapsAndNothingIsCut(int width, String scheme) throws IOException, InterruptedException {
        Path browser = browser();
        assumeTrue(browser != null, "no Chromium here");

        Path page = directory.resolve("page.html");
        Files.writeString(page, measured(everything().html()));
        List<String> command = new ArrayList<>(List.of(
                String.valueOf(browser),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--user-data-dir=" + directory.resolve("profile"),
                "--window-size=" + width + ",2400",
                "--virtual-time-budget=4000"));
        if (scheme.equals("dark")) {
            command.add("--blink-settings=preferredColorScheme=0");
        }
        command.addAll(List.of("--dump-dom", page.toUri().toString()));
        assertThat(verdict(command)).isEqualTo("17 labels at least, 0 faults");
    }

    private String verdict(List<String> command) throws IOException, InterruptedException {
        Path dom = directory.resolve("dom.html");
        Process process = new ProcessBuilder(command)
                .redirectOutput(dom.toFile())
                .redirectError(directory.resolve("browser.log").toFile())
                .start();
        assertThat(process.waitFor(TIMEOUT_S, TimeUnit.SECONDS))
                .as("the browser ends")
                .isTrue();
        Matcher verdict = VERDICT.matcher(Files.readString(dom));
        assertThat(verdict.find())
                .as(() -> "no verdict; the browser says " + directory)
                .isTrue();
        return verdict.group(1);
    }

    private static @Nullable Path browser() {
        return Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    /** Adds a script in front that records each text of a canvas, and one behind that checks them. */
    private static String measured(String page) throws IOException {
        return page.replace("<head>", "<head><script>" + script("record.js") + "</script>")
                .replace("</body>", "<script>" + script("judge.js") + "</script></body>");
    }

    private static String script(String name) throws IOException {
        try (var in = ReportInBrowserTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** All kinds of blocks and axes, with the maximum of curves, sizes and long names. */
    private static HtmlReport everything() {
        List<Double> sizes =
                IntStream.rangeClosed(1, 23).mapToObj(i -> (double) (1 << i)).toList();
        List<Series> many = IntStream.range(0, Chart.MAX_SERIES)
                .mapToObj(i -> Series.of(
                        (1 << 3 * i) + " bytes",
                        sizes,
                        sizes.stream().map(size -> (i + 1) * size / 1000).toList()))
                .toList();
        Series distribution = Series.of(
                "8388608 bytes", List.of(1.0, 2.0, 10.0, 1000.0, 100000.0), List.of(1.2, 2.0, 3.0, 40.0, 20000.0));
        return new HtmlReport(
                "Everything",
                RunInfo.ofThisProcess().put("device", "rxe_with_a_long_name").put("command", "x".repeat(300)),
                List.of(
                        new Chart("Sizes", Axis.BYTES, "message size, bytes", Axis.LOGARITHMIC, "latency, µs", many),
                        new Chart(
                                "Linear", Axis.BYTES, "message size, bytes", Axis.LINEAR, "MiB/s", many.subList(0, 2)),
                        new Chart(
                                "Percentiles",
                                Axis.PERCENTILE,
                                "share of messages",
                                Axis.LOGARITHMIC,
                                "latency, µs",
                                List.of(distribution)),
                        new Chart(
                                "Counts",
                                Axis.LOGARITHMIC,
                                "queue pairs",
                                Axis.LOGARITHMIC,
                                "messages a second",
                                List.of(Series.of(
                                        "64 bytes", List.of(1.0, 16.0, 4096.0, 1e5), List.of(1e6, 2e6, 3e6, 1e5)))),
                        new RatioBars(
                                "Ratios",
                                List.of(new RatioBars.Group(
                                        "UDP ping-pong of 64 bytes",
                                        1.2,
                                        List.of(
                                                new RatioBars.Bar("C over loopback sockets", 1, false, "8.1 µs"),
                                                new RatioBars.Bar("rdma4j", 1.9, true, "15.4 µs"),
                                                new RatioBars.Bar("Aeron", Double.NaN, false, "not measured"))))),
                        new Table(
                                "Table",
                                List.of("bytes", "messages", "99.999 %"),
                                List.of(List.of("2", "1000", "17.2")))));
    }
}
