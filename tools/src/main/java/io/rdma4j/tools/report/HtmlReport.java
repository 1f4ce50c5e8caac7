// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A page with the results of a tool. It contains its style, its scripts and the plotting library (uPlot), and loads
 * nothing.
 *
 * @param title of the page
 * @param info time, machine and command of the run
 * @param blocks charts and tables, from top to bottom
 */
public record HtmlReport(String title, RunInfo info, List<ReportBlock> blocks) {
    private static final String LIBRARY = "META-INF/resources/webjars/uplot/1.6.30/dist/";

    /** Writes the page. */
    public void write(Path file) throws IOException {
        Files.writeString(file, html());
    }

    /** {@return the text of the page} */
    public String html() {
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>%1$s</title>
            <style>
            %2$s
            %3$s
            </style>
            </head>
            <body>
            <h1>%1$s</h1>
            %4$s
            %5$s
            <script>
            %6$s
            </script>
            <script>
            %7$s
            </script>
            </body>
            </html>
            """.formatted(
                        escape(title),
                        library("uPlot.min.css"),
                        own("report.css"),
                        blocks.stream().map(ReportBlock::html).collect(Collectors.joining()),
                        facts(),
                        library("uPlot.iife.min.js"),
                        own("report.js"));
    }

    private String facts() {
        return info.facts().entrySet().stream()
                .map(fact -> "<dt>" + escape(fact.getKey()) + "</dt><dd>" + escape(fact.getValue()) + "</dd>")
                .collect(Collectors.joining("\n", "<footer><dl>\n", "\n</dl></footer>"));
    }

    private static String library(String name) {
        return read(HtmlReport.class.getClassLoader().getResourceAsStream(LIBRARY + name), LIBRARY + name);
    }

    private static String own(String name) {
        return read(HtmlReport.class.getResourceAsStream(name), name);
    }

    private static String read(@Nullable InputStream resource, String name) {
        try (InputStream in = resource) {
            if (in == null) {
                throw new IllegalStateException(name + " is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the text escaped for the content of an element or for a quoted attribute} */
    public static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** {@return a value with three significant digits, or all digits before the point} */
    public static String number(double value) {
        if (!Double.isFinite(value)) {
            return "–";
        }
        double size = Math.abs(value);
        int decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
