// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

/** Quantity that a test measures. */
public enum Measure {
    /** Time of one message. */
    LATENCY("lat", "Latency"),
    /** Throughput with many outstanding messages. */
    BANDWIDTH("bw", "BW");

    private final String word;
    private final String title;

    Measure(String word, String title) {
        this.word = word;
        this.title = title;
    }

    /** Part of the tool's name. */
    String word() {
        return word;
    }

    /** Name in the output. */
    String title() {
        return title;
    }
}
