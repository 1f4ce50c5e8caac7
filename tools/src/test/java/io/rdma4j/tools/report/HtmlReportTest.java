// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HtmlReportTest {
    private static Chart chart(List<Series> series) {
        return new Chart("t", Axis.BYTES, "bytes", Axis.LOGARITHMIC, "µs", series);
    }

    @Test
    void aPageLoadsNothingAndSaysWhereItWasMade() {
        String page = new HtmlReport("A <title>", RunInfo.ofThisProcess().put("device", "rxe0"), List.of()).html();
        assertThat(page)
                .contains("<h1>A &lt;title&gt;</h1>", "<dt>date</dt>", "<dt>jdk</dt>", "<dt>device</dt><dd>rxe0</dd>")
                .doesNotContain("src=", "href=");
    }

    @Test
    void curvesShareTheirAxisAndLeaveGaps() {
        String html = chart(List.of(
                        Series.of("a", List.of(2.0, 4.0), List.of(1.0, 2.0)),
                        Series.of("b", List.of(4.0, 8.0), List.of(3.0, 0.0))))
                .html();
        assertThat(html.replace("&quot;", "\"")).contains("\"data\":[[2.0,4.0,8.0],[1.0,2.0,\"\"],[\"\",3.0,\"\"]]");
    }

    @Test
    void moreCurvesThanColoursAreRefused() {
        List<Series> nine = IntStream.range(0, 9)
                .mapToObj(i -> Series.of("s" + i, List.of(), List.of()))
                .toList();
        assertThatThrownBy(() -> chart(nine)).hasMessageContaining("at most 8");
        assertThat(Chart.selection(nine)).hasSize(8).startsWith(nine.getFirst()).endsWith(nine.getLast());
    }

    @Test
    void numbersHaveThreeSignificantDigits() {
        assertThat(List.of(0.1234, 1.234, 12.34, 1234.5, Double.NaN))
                .extracting(HtmlReport::number)
                .containsExactly("0.123", "1.23", "12.3", "1235", "–");
    }
}
