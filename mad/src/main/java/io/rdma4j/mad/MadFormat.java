// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.Rmpp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What the MAD layer must know about the classes. */
final class MadFormat {
    private static final int OUI_OFFSET = 37;
    private static final int VENDOR_DATA_OFFSET = 40;

    private MadFormat() {}

    /** Offset of the data, which is also the number of bytes that RMPP segments repeat. */
    static int dataOffset(int mgmtClass) {
        if (MadClass.hasOui(mgmtClass)) {
            return VENDOR_DATA_OFFSET;
        }
        MadClass known = MadClass.of(mgmtClass);
        return known == null ? Mad.HEADER_BYTES : known.dataOffset();
    }

    /** Returns true if the classes' datagrams have an RMPP header. */
    static boolean hasRmpp(int mgmtClass) {
        MadClass known = MadClass.of(mgmtClass);
        return MadClass.hasOui(mgmtClass) || known != null && known.hasRmpp();
    }

    /** Returns true for a datagram with an RMPP header that is in use. */
    static boolean isRmpp(MemorySegment datagram) {
        return hasRmpp(Mad.MGMT_CLASS.getInt(datagram, 0)) && Rmpp.isActive(datagram, Rmpp.OFFSET);
    }

    static boolean isSubnetManagement(int mgmtClass) {
        return mgmtClass == MadClass.SUBN_LID_ROUTED.code() || mgmtClass == MadClass.SUBN_DIRECTED_ROUTE.code();
    }

    /** The OUI of a datagram; 0 if its class has none. */
    static int oui(MemorySegment datagram) {
        if (!MadClass.hasOui(Mad.MGMT_CLASS.getInt(datagram, 0))) {
            return 0;
        }
        int oui = 0;
        for (int i = 0; i < 3; i++) {
            oui = oui << Byte.SIZE | datagram.get(ValueLayout.JAVA_BYTE, OUI_OFFSET + i) & 0xFF;
        }
        return oui;
    }
}
