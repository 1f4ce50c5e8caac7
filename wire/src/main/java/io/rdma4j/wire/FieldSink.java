// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

/** Receives the fields of a header in the order of the wire. Implemented by printers, JSON writers and tests. */
public interface FieldSink {
    /**
     * A count or a length, printed in decimal.
     *
     * @param name of the field, as printed by tools
     * @param value 0 or more
     */
    void decimal(String name, long value);

    /**
     * A number, key or address, printed in hexadecimal.
     *
     * @param name of the field, as printed by tools
     * @param value unsigned, 4 bits per digit
     * @param digits width of the field in hexadecimal digits; only a negative value has bits above them
     */
    void hex(String name, long value, int digits);

    /**
     * A named value.
     *
     * @param name of the field, as printed by tools
     * @param value printed unchanged
     */
    void text(String name, String value);
}
