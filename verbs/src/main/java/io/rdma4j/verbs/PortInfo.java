package io.rdma4j.verbs;

import java.util.Objects;

/**
 * What management reads and writes at a port: the attribute PortInfo (IBA 14.2.5.6), as far as a port in software has it, and
 * LedInfo. Immutable. {@link Port#info} is a SubnGet, {@link Port#setInfo} a SubnSet; a program that only
 * uses the port looks at {@link PortAttributes}.
 *
 * @param state {@code PortState}; to be set it is an order: {@link PortState#NOP} leaves the state as it is
 * @param physicalState {@code PortPhysicalState}; to be set it is an order: POLLING lets the link come up, DISABLED keeps it down
 * @param managementKey {@code M_Key}: 64 bits, 0 for none
 * @param gidPrefix {@code GidPrefix}: upper half of the GID that is made of the port's GUID
 * @param lid {@code LID}: 16 bits, 0 for none
 * @param lmc {@code LMC}: low LID bits that are free, 3 bits
 * @param masterSmLid {@code MasterSMLID}: 16 bits; 0: nobody manages the port, which gets active by itself
 * @param masterSmSl {@code MasterSMSL}: 4 bits
 * @param subnetTimeout {@code SubnetTimeOut}: 4.096 µs · 2^value; 5 bits
 * @param initType {@code InitType}: 4 bits, what the node asks the subnet manager for; only the node itself sets it
 * @param initTypeReply {@code InitTypeReply}: 4 bits, what the subnet manager has done of that
 * @param clientReregister {@code ClientReregister}: an order to raise {@link EventType#CLIENT_REREGISTER}; false when read
 * @param led {@code LedMask} of LedInfo: true if the light is on
 */
public record PortInfo(
        PortState state,
        PhysicalState physicalState,
        long managementKey,
        long gidPrefix,
        int lid,
        int lmc,
        int masterSmLid,
        int masterSmSl,
        int subnetTimeout,
        int initType,
        int initTypeReply,
        boolean clientReregister,
        boolean led) {
    /**
     * Checks the widths.
     *
     * @throws io.rdma4j.base.RdmaException EINVAL if a value has more bits than its field
     */
    public PortInfo {
        Arguments.bits("LID", lid, Short.SIZE);
        Arguments.bits("LMC", lmc, 3);
        Arguments.bits("MasterSMLID", masterSmLid, Short.SIZE);
        Arguments.bits("MasterSMSL", masterSmSl, 4);
        Arguments.bits("SubnetTimeOut", subnetTimeout, 5);
        Arguments.bits("InitType", initType, 4);
        Arguments.bits("InitTypeReply", initTypeReply, 4);
    }

    /** {@return a builder that begins with these values, to change some of them} */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects values; each setter has the name of the component that it sets. One thread. */
    public static final class Builder {
        private PortState state;
        private PhysicalState physicalState;
        private long managementKey;
        private long gidPrefix;
        private int lid;
        private int lmc;
        private int masterSmLid;
        private int masterSmSl;
        private int subnetTimeout;
        private int initType;
        private int initTypeReply;
        private boolean clientReregister;
        private boolean led;

        private Builder(PortInfo from) {
            this.state = from.state;
            this.physicalState = from.physicalState;
            this.managementKey = from.managementKey;
            this.gidPrefix = from.gidPrefix;
            this.lid = from.lid;
            this.lmc = from.lmc;
            this.masterSmLid = from.masterSmLid;
            this.masterSmSl = from.masterSmSl;
            this.subnetTimeout = from.subnetTimeout;
            this.initType = from.initType;
            this.initTypeReply = from.initTypeReply;
            this.clientReregister = from.clientReregister;
            this.led = from.led;
        }

        /**
         * Sets {@link PortInfo#state}.
         *
         * @param state {@code PortState}; to be set it is an order: {@link PortState#NOP} leaves the state as it is
         * @return this builder
         */
        public Builder state(PortState state) {
            this.state = Objects.requireNonNull(state);
            return this;
        }

        /**
         * Sets {@link PortInfo#physicalState}.
         *
         * @param physicalState {@code PortPhysicalState}; to be set it is an order: POLLING lets the link come up,
         *     DISABLED keeps it down
         * @return this builder
         */
        public Builder physicalState(PhysicalState physicalState) {
            this.physicalState = Objects.requireNonNull(physicalState);
            return this;
        }

        /**
         * Sets {@link PortInfo#managementKey}.
         *
         * @param managementKey {@code M_Key}: 64 bits, 0 for none
         * @return this builder
         */
        public Builder managementKey(long managementKey) {
            this.managementKey = managementKey;
            return this;
        }

        /**
         * Sets {@link PortInfo#gidPrefix}.
         *
         * @param gidPrefix {@code GidPrefix}: upper half of the GID that is made of the port's GUID
         * @return this builder
         */
        public Builder gidPrefix(long gidPrefix) {
            this.gidPrefix = gidPrefix;
            return this;
        }

        /**
         * LID and how many of its low bits are free.
         *
         * @param lid 16 bits
         * @param lmc 3 bits
         * @return this builder
         */
        public Builder lid(int lid, int lmc) {
            this.lid = lid;
            this.lmc = lmc;
            return this;
        }

        /**
         * LID of the master subnet manager and service level of the way there.
         *
         * @param lid 16 bits; 0: nobody manages the port
         * @param sl 4 bits
         * @return this builder
         */
        public Builder masterSm(int lid, int sl) {
            this.masterSmLid = lid;
            this.masterSmSl = sl;
            return this;
        }

        /**
         * Sets {@link PortInfo#subnetTimeout}.
         *
         * @param subnetTimeout {@code SubnetTimeOut}: 4.096 µs · 2^value; 5 bits
         * @return this builder
         */
        public Builder subnetTimeout(int subnetTimeout) {
            this.subnetTimeout = subnetTimeout;
            return this;
        }

        /**
         * Sets {@link PortInfo#initType}.
         *
         * @param initType {@code InitType}: 4 bits, what the node asks the subnet manager for; only the node itself
         *     sets it
         * @return this builder
         */
        public Builder initType(int initType) {
            this.initType = initType;
            return this;
        }

        /**
         * Sets {@link PortInfo#initTypeReply}.
         *
         * @param initTypeReply {@code InitTypeReply}: 4 bits, what the subnet manager has done of that
         * @return this builder
         */
        public Builder initTypeReply(int initTypeReply) {
            this.initTypeReply = initTypeReply;
            return this;
        }

        /**
         * Sets {@link PortInfo#clientReregister}.
         *
         * @param clientReregister {@code ClientReregister}: an order to raise {@link EventType#CLIENT_REREGISTER};
         *     false when read
         * @return this builder
         */
        public Builder clientReregister(boolean clientReregister) {
            this.clientReregister = clientReregister;
            return this;
        }

        /**
         * Sets {@link PortInfo#led}.
         *
         * @param led {@code LedMask} of LedInfo: true if the light is on
         * @return this builder
         */
        public Builder led(boolean led) {
            this.led = led;
            return this;
        }

        /**
         * {@return the values collected so far}
         *
         * @throws io.rdma4j.base.RdmaException EINVAL if a value has more bits than its field
         */
        public PortInfo build() {
            return new PortInfo(
                    state,
                    physicalState,
                    managementKey,
                    gidPrefix,
                    lid,
                    lmc,
                    masterSmLid,
                    masterSmSl,
                    subnetTimeout,
                    initType,
                    initTypeReply,
                    clientReregister,
                    led);
        }
    }
}
