// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

/**
 * The counters of a stack ({@code struct netns_mib}). The owner of its loop writes them; any thread may read them,
 * perhaps a little late.
 */
public final class SnmpCounters {
    private final long[] ipv4 = new long[SnmpCounter.values().length];
    private final long[] ipv6 = new long[SnmpCounter.values().length];

    SnmpCounters() {}

    void count(boolean isIpv4, SnmpCounter counter) {
        (isIpv4 ? ipv4 : ipv6)[counter.ordinal()]++;
    }

    /**
     * {@return the value of a counter for one IP version}
     *
     * @param isIpv4 true for IPv4, false for IPv6
     * @param counter one of the constants
     */
    public long get(boolean isIpv4, SnmpCounter counter) {
        return (isIpv4 ? ipv4 : ipv6)[counter.ordinal()];
    }

    /**
     * {@return the sum of a counter for both IP versions}
     *
     * @param counter one of the constants
     */
    public long get(SnmpCounter counter) {
        return get(true, counter) + get(false, counter);
    }

    /**
     * Returns all counters, one per line, as {@code nstat} prints them: {@code IpInReceives 7}, {@code Ip6InReceives
     * 0}.
     */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (SnmpCounter counter : SnmpCounter.values()) {
            line(text, counter, "", ipv4);
            line(text, counter, "6", ipv6);
        }
        return text.toString();
    }

    private static void line(StringBuilder text, SnmpCounter counter, String version, long[] values) {
        text.append(counter.group().label()).append(version).append(counter.label());
        text.append(' ').append(values[counter.ordinal()]).append('\n');
    }
}
