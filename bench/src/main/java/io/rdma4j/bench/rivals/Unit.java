// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

/** Unit of a row. */
enum Unit {
    MICROSECONDS("µs", false),
    BYTES("B", false),
    PACKETS("packets/s", true),
    GIGABITS("Gbit/s", true),
    GIGABYTES("GB/s", true),
    MILLIONS("M/s", true);

    private final String text;
    private final boolean moreIsBetter;

    Unit(String text, boolean moreIsBetter) {
        this.text = text;
        this.moreIsBetter = moreIsBetter;
    }

    boolean moreIsBetter() {
        return moreIsBetter;
    }

    /** True if {@code ours} is equal to or better than {@code theirs}. */
    boolean isAhead(double ours, double theirs) {
        return moreIsBetter ? ours >= theirs : ours <= theirs;
    }

    @Override
    public String toString() {
        return text;
    }
}
