package io.rdma4j.wire;

/**
 * Takes the fields of a header one after another, in the order of the wire: what a printer, a JSON writer or a test
 * implements.
 */
public interface FieldSink {
    /**
     * A count or a length, printed in decimal; never negative.
     *
     * @param name of the field, as tools print it
     * @param value 0 or more
     */
    void decimal(String name, long value);

    /**
     * A number, key or address, printed in hexadecimal.
     *
     * @param name of the field, as tools print it
     * @param value unsigned, of 4 bits a digit
     * @param digits width of the field in hexadecimal digits; the value may have bits above them only if negative
     */
    void hex(String name, long value, int digits);

    /**
     * A value that has a name.
     *
     * @param name of the field, as tools print it
     * @param value printed as it is
     */
    void text(String name, String value);
}
