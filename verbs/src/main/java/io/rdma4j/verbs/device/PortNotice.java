// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

/**
 * A notice or trap that a port generates: the used part of the attribute Notice (IBA 13.4.8.2).
 *
 * @param type the event
 * @param port port number, from 1
 * @param value a value whose meaning depends on {@code type}
 */
public record PortNotice(Type type, int port, long value) {
    /** Events that cause a notice (IBA 14.2.5.1). */
    public enum Type {
        /** The capabilities of the port changed; the value is their new mask in C. */
        CAPABILITY_CHANGE(144),
        /** A packet of another partition arrived; the value is its P_Key. */
        BAD_PKEY(257),
        /** A packet of another partition arrived at an external port of a switch; the value is its P_Key. */
        SWITCH_BAD_PKEY(259);

        private final int trapNumber;

        Type(int trapNumber) {
            this.trapNumber = trapNumber;
        }

        /** {@return the trap number (IBA 13.4.8.1)} Corresponds to {@code TrapNumber}. */
        public int trapNumber() {
            return trapNumber;
        }
    }
}
