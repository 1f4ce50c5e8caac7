// SPDX-License-Identifier: Apache-2.0
import java.util.Arrays;
import java.util.Locale;

/** Records round-trip times and prints the result line. */
final class Times {
    private final long[] times;

    Times(int count) {
        times = new long[count];
    }

    /** The first fifth of the rounds is warm-up. */
    int first() {
        return -times.length / 5;
    }

    int count() {
        return times.length;
    }

    void add(int round, long ns) {
        if (round >= 0) {
            times[round] = ns;
        }
    }

    void print(String name, int bytes) {
        Arrays.sort(times);
        System.out.printf(
                Locale.ROOT,
                "%s bytes=%d p50_us=%.4f p99_us=%.4f p999_us=%.4f%n",
                name,
                bytes,
                times[times.length / 2] / 1e3,
                times[(int) (times.length * 0.99)] / 1e3,
                times[(int) (times.length * 0.999)] / 1e3);
    }

    static void printRate(String name, int bytes, long count, long ns) {
        double perSecond = count * 1e9 / ns;
        System.out.printf(
                Locale.ROOT,
                "%s bytes=%d rate=%.0f gbit_s=%.3f gbyte_s=%.3f%n",
                name,
                bytes,
                perSecond,
                perSecond * bytes * 8 / 1e9,
                perSecond * bytes / 1e9);
    }
}
