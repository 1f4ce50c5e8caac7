// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

/** What a management interface dropped. */
public final class ManagementCounts {
    private long malformed;
    private long unroutable;
    private long keyViolations;

    ManagementCounts() {}

    /** {@return packets that are no datagrams of subnet management} */
    public long malformed() {
        return malformed;
    }

    /** {@return datagrams whose route does not exist} */
    public long unroutable() {
        return unroutable;
    }

    /** {@return requests with a wrong M_Key} */
    public long keyViolations() {
        return keyViolations;
    }

    void addMalformed() {
        malformed++;
    }

    void addUnroutable() {
        unroutable++;
    }

    void addKeyViolation() {
        keyViolations++;
    }
}
