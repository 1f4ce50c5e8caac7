package io.rdma4j.tools.perftest;

/** What a test measures. */
public enum Measure {
    /** The time of one message. */
    LATENCY("lat", "Latency"),
    /** How much goes through when many are under way. */
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

    /** What the output calls it. */
    String title() {
        return title;
    }
}
