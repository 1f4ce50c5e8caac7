// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

import io.rdma4j.verbs.core.Arguments;
import java.util.Objects;

/**
 * The attribute PortInfo (IBA 14.2.5.6), as far as a software port has it, and the LED state of LedInfo. Immutable.
 *
 * <p>{@link io.rdma4j.verbs.Port#info} is a SubnGet, {@link io.rdma4j.verbs.Port#setInfo} a SubnSet. An application
 * that only uses the port reads {@link PortAttributes} instead.
 *
 * @param state {@code PortState}; in a Set the requested state, where {@link PortState#NOP} keeps the present one
 * @param physicalState {@code PortPhysicalState}; in a Set the requested state: POLLING lets the link come up, DISABLED
 *     keeps it down
 * @param managementKey {@code M_Key}: 64 bits, 0 for none
 * @param gidPrefix {@code GidPrefix}: upper half of the GID whose lower half is the port's GUID
 * @param lid {@code LID}: 16 bits, 0 for none
 * @param lmc {@code LMC}: number of low LID bits that path selection may vary, 3 bits
 * @param masterSmLid {@code MasterSMLID}: 16 bits; 0 if no subnet manager manages the port, which then becomes active
 *     by itself
 * @param masterSmSl {@code MasterSMSL}: 4 bits
 * @param subnetTimeout {@code SubnetTimeOut}: 4.096 µs · 2^value; 5 bits
 * @param initType {@code InitType}: 4 bits, the initialization that the node requests from the subnet manager; only the
 *     node itself sets it
 * @param initTypeReply {@code InitTypeReply}: 4 bits, the initialization that the subnet manager has performed
 * @param clientReregister {@code ClientReregister}: in a Set, true raises {@link
 *     io.rdma4j.verbs.values.EventType#CLIENT_REREGISTER}; false in a Get
 * @param led {@code LedMask} of LedInfo: true if the LED is on
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

    /** {@return a builder with these values} */
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
         * @param state {@code PortState}; in a Set the requested state, where {@link PortState#NOP} keeps the present
         *     one
         * @return this builder
         */
        public Builder state(PortState state) {
            this.state = Objects.requireNonNull(state);
            return this;
        }

        /**
         * Sets {@link PortInfo#physicalState}.
         *
         * @param physicalState {@code PortPhysicalState}; in a Set the requested state: POLLING lets the link come up,
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
         * @param gidPrefix {@code GidPrefix}: upper half of the GID whose lower half is the port's GUID
         * @return this builder
         */
        public Builder gidPrefix(long gidPrefix) {
            this.gidPrefix = gidPrefix;
            return this;
        }

        /**
         * Sets {@link PortInfo#lid} and {@link PortInfo#lmc}.
         *
         * @param lid 16 bits
         * @param lmc number of low LID bits that path selection may vary, 3 bits
         * @return this builder
         */
        public Builder lid(int lid, int lmc) {
            this.lid = lid;
            this.lmc = lmc;
            return this;
        }

        /**
         * Sets the LID of the master subnet manager and the service level of the path to it.
         *
         * @param lid 16 bits; 0 if no subnet manager manages the port
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
         * @param initType {@code InitType}: 4 bits, the initialization that the node requests from the subnet manager;
         *     only the node itself sets it
         * @return this builder
         */
        public Builder initType(int initType) {
            this.initType = initType;
            return this;
        }

        /**
         * Sets {@link PortInfo#initTypeReply}.
         *
         * @param initTypeReply {@code InitTypeReply}: 4 bits, the initialization that the subnet manager has performed
         * @return this builder
         */
        public Builder initTypeReply(int initTypeReply) {
            this.initTypeReply = initTypeReply;
            return this;
        }

        /**
         * Sets {@link PortInfo#clientReregister}.
         *
         * @param clientReregister {@code ClientReregister}: in a Set, true raises {@link
         *     io.rdma4j.verbs.values.EventType#CLIENT_REREGISTER}
         * @return this builder
         */
        public Builder clientReregister(boolean clientReregister) {
            this.clientReregister = clientReregister;
            return this;
        }

        /**
         * Sets {@link PortInfo#led}.
         *
         * @param led {@code LedMask} of LedInfo: true if the LED is on
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
