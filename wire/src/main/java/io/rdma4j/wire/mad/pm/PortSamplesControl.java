// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.pm;

import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute PortSamplesControl of performance management (IBA 16.1.3.2): starts and describes sampling. */
public final class PortSamplesControl {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("PortSamplesControl");
    /** Layout of the attribute, 1. */
    public static final MadField OP_CODE = FIELDS.hex("opCode", 0, 8);
    /** Number of the port. */
    public static final MadField PORT_SELECT = FIELDS.decimal("portSelect", 1, 8);
    /** Length of a tick. */
    public static final MadField TICK = FIELDS.decimal("tick", 2, 8);
    /** 4 for counters of 32 bits. */
    public static final MadField COUNTER_WIDTH = FIELDS.decimal("counterWidth", 3, 5, 3);
    /** What counter 0 can select. */
    public static final MadField COUNTER_MASK_0 = FIELDS.hex("counterMask0", 4, 2, 3);
    /** What counters 1 to 9 can select, 3 bits each. */
    public static final MadField COUNTER_MASKS_1_TO_9 = FIELDS.hex("counterMasks1To9", 4, 5, 27);
    /** What counters 10 to 14 can select, 3 bits each. */
    public static final MadField COUNTER_MASKS_10_TO_14 = FIELDS.hex("counterMasks10To14", 8, 1, 15);
    /** Number of samplers less one. */
    public static final MadField SAMPLE_MECHANISMS = FIELDS.decimal("sampleMechanisms", 10, 8);
    /** 0 done, 1 starting, 2 running. */
    public static final MadField SAMPLE_STATUS = FIELDS.decimal("sampleStatus", 11, 6, 2);
    /** Optional counters that exist. */
    public static final MadField OPTION_MASK = FIELDS.hex("optionMask", 12, 64);
    /** Counters of the vendor that exist. */
    public static final MadField VENDOR_MASK = FIELDS.hex("vendorMask", 20, 64);
    /** Ticks until sampling starts. */
    public static final MadField SAMPLE_START = FIELDS.decimal("sampleStart", 28, 32);
    /** Ticks of sampling. */
    public static final MadField SAMPLE_INTERVAL = FIELDS.decimal("sampleInterval", 32, 32);
    /** Identifies the sampling. */
    public static final MadField TAG = FIELDS.hex("tag", 36, 16);
    /** What each counter counts. */
    public static final MadArray COUNTER_SELECT = FIELDS.hexArray("counterSelect", 38, 16, 15);
    /** Counters that exist only as samples. */
    public static final MadField SAMPLES_ONLY_OPTION_MASK = FIELDS.hex("samplesOnlyOptionMask", 72, 64);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(80);

    private PortSamplesControl() {}
}
