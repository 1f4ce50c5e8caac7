package io.rdma4j.verbs;

/**
 * What a port tells its management of its own accord: the part of the attribute Notice that matters here (IBA 13.4.8.2).
 *
 * @param type what happened
 * @param port from 1
 * @param value of what {@code type} says
 */
public record PortNotice(Type type, int port, long value) {
    /** What can happen (IBA 14.2.5.1). */
    public enum Type {
        /** The capabilities of the port changed; the value is C's mask of them as they are now. */
        CAPABILITY_CHANGE(144),
        /** A packet of another partition arrived; the value is its P_Key. */
        BAD_PKEY(257),
        /** The same at a port of a switch that looks at what comes in from outside. */
        SWITCH_BAD_PKEY(259);

        private final int trapNumber;

        Type(int trapNumber) {
            this.trapNumber = trapNumber;
        }

        /** {@return the number of the trap (IBA 13.4.8.1)} Answers to {@code TrapNumber}. */
        public int trapNumber() {
            return trapNumber;
        }
    }
}
