// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.pm;

import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute PortSamplesResult of performance management (IBA 16.1.3.4). */
public final class PortSamplesResult {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("PortSamplesResult");
    /** Identifies the sampling. */
    public static final MadField TAG = FIELDS.hex("tag", 0, 16);
    /** 0 done, 1 starting, 2 running. */
    public static final MadField SAMPLE_STATUS = FIELDS.decimal("sampleStatus", 2, 14, 2);
    /** The counters that were selected. */
    public static final MadArray COUNTERS = FIELDS.decimalArray("counters", 4, 32, 15);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(64);

    private PortSamplesResult() {}
}
