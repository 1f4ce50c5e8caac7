// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.table;

import io.rdma4j.wire.FieldSink;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmReq;
import io.rdma4j.wire.mad.CmSidrReq;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.RdmaCmHeader;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.TrapDetails;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Describes a management datagram for tools: class, method, attribute, and the fields that are not 0. */
public final class MadText {
    private MadText() {}

    /**
     * {@return the name of the message, such as {@code CM REQ}, {@code SubnAdm GetTable NodeRecord}}
     *
     * @param segment the memory of the datagram, which {@link Mad#check} accepts
     * @param offset of its first byte
     */
    public static String name(MemorySegment segment, long offset) {
        int code = Mad.MGMT_CLASS.getInt(segment, offset);
        CmMessage cm = cmMessage(segment, offset);
        if (cm != null) {
            return "CM " + cm.name();
        }
        MadClass mgmtClass = MadClass.of(code);
        MadLayout layout = layout(segment, offset);
        return (mgmtClass == null ? "class-0x" + Integer.toHexString(code) : mgmtClass.label())
                + " " + MadMethod.text(Mad.METHOD.getInt(segment, offset))
                + " "
                + (layout == null
                        ? "attribute-0x" + Integer.toHexString(Mad.ATTRIBUTE_ID.getInt(segment, offset))
                        : layout.name());
    }

    /**
     * Passes the fields of headers and data to {@code sink}.
     *
     * @param segment the memory of the datagram, which {@link Mad#check} accepts
     * @param offset of its first byte
     * @param sink receives name and value of each field
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {
        sink.hex("tid", Mad.TRANSACTION_ID.get(segment, offset), 16);
        if (Mad.STATUS.isSet(segment, offset)) {
            sink.hex("status", Mad.STATUS.get(segment, offset), 4);
        }
        MadClass mgmtClass = MadClass.of(Mad.MGMT_CLASS.getInt(segment, offset));
        if (mgmtClass == MadClass.SUBN_DIRECTED_ROUTE) {
            describeRoute(segment, offset, sink);
        } else if (Mad.CLASS_SPECIFIC.isSet(segment, offset)) {
            sink.hex("classSpecific", Mad.CLASS_SPECIFIC.get(segment, offset), 4);
        }
        if (Mad.ATTRIBUTE_MODIFIER.isSet(segment, offset)) {
            sink.hex("attributeModifier", Mad.ATTRIBUTE_MODIFIER.get(segment, offset), 8);
        }
        if (mgmtClass == null) {
            return;
        }
        if (mgmtClass.isManagement()) {
            describeKey(segment, offset, sink);
        }
        boolean rmpp = mgmtClass.hasRmpp() && Rmpp.isActive(segment, offset + Rmpp.OFFSET);
        if (rmpp) {
            Rmpp.LAYOUT.describe(segment, offset + Rmpp.OFFSET, sink);
        }
        if (rmpp && !Rmpp.isFirst(segment, offset + Rmpp.OFFSET)) {
            return; // an acknowledgement, or a segment that need not begin with a record
        }
        if (mgmtClass == MadClass.SUBN_ADM) {
            SaHeader.LAYOUT.describe(segment, offset + SaHeader.OFFSET, sink);
        }
        MadLayout layout = layout(segment, offset);
        if (layout != null && !isWithoutData(mgmtClass, segment, offset)) {
            layout.describe(segment, offset + mgmtClass.dataOffset(), sink);
            if (layout == Notice.LAYOUT || layout == Notice.SM_LAYOUT) {
                describeTrap(segment, offset + mgmtClass.dataOffset(), sink);
            }
        }
        describeRdmaCm(segment, offset, sink);
    }

    /** The bytes of the attribute in a Get of subnet management have no meaning. */
    private static boolean isWithoutData(MadClass mgmtClass, MemorySegment segment, long offset) {
        return mgmtClass.isManagement() && Mad.METHOD.getInt(segment, offset) == MadMethod.GET.code();
    }

    private static void describeRoute(MemorySegment segment, long offset, FieldSink sink) {
        int hops = Smp.HOP_COUNT.getInt(segment, offset);
        sink.decimal("hopPointer", Smp.HOP_POINTER.get(segment, offset));
        sink.decimal("hopCount", hops);
        lid("drSlid", Smp.DR_SLID.getInt(segment, offset), sink);
        lid("drDlid", Smp.DR_DLID.getInt(segment, offset), sink);
        int end = Math.min(hops, Smp.MAX_HOPS) + 1;
        Smp.INITIAL_PATH.describe(segment, offset, 1, end, sink);
        if ((Mad.STATUS.getInt(segment, offset) & MadStatus.DIRECTION) != 0) {
            Smp.RETURN_PATH.describe(segment, offset, 1, end, sink);
        }
    }

    private static void lid(String name, int lid, FieldSink sink) {
        if (lid != Lid.PERMISSIVE) {
            sink.hex(name, lid, 4);
        }
    }

    private static void describeKey(MemorySegment segment, long offset, FieldSink sink) {
        if (Smp.M_KEY.isSet(segment, offset)) {
            sink.hex("smpMKey", Smp.M_KEY.get(segment, offset), 16);
        }
    }

    private static void describeTrap(MemorySegment segment, long notice, FieldSink sink) {
        MadLayout details = Notice.IS_GENERIC.isSet(segment, notice)
                ? TrapDetails.of(Notice.TRAP_NUMBER.getInt(segment, notice))
                : null;
        if (details != null) {
            details.describe(segment, notice + Notice.DATA_DETAILS.offset(), sink);
        }
    }

    /** The header of rdma_cm is there if its versions are valid; a program may have private data of another format. */
    private static void describeRdmaCm(MemorySegment segment, long offset, FieldSink sink) {
        CmMessage cm = cmMessage(segment, offset);
        if (cm != CmMessage.REQ && cm != CmMessage.SIDR_REQ) {
            return;
        }
        MadField data = cm == CmMessage.REQ ? CmReq.PRIVATE_DATA : CmSidrReq.PRIVATE_DATA;
        long header = offset + CmMessage.BODY + data.offset();
        if (RdmaCmHeader.isValid(segment, header)) {
            sink.decimal("sourcePort", RdmaCmHeader.SOURCE_PORT.get(segment, header));
            sink.text("source", RdmaCmHeader.source(segment, header).toString());
            sink.text("destination", RdmaCmHeader.destination(segment, header).toString());
        }
    }

    private static @Nullable CmMessage cmMessage(MemorySegment segment, long offset) {
        return Mad.MGMT_CLASS.getInt(segment, offset) == MadClass.COM_MGT.code()
                ? CmMessage.of(Mad.ATTRIBUTE_ID.getInt(segment, offset))
                : null;
    }

    private static @Nullable MadLayout layout(MemorySegment segment, long offset) {
        CmMessage cm = cmMessage(segment, offset);
        if (cm != null) {
            return cm.layout();
        }
        MadClass mgmtClass = MadClass.of(Mad.MGMT_CLASS.getInt(segment, offset));
        MadAttribute attribute =
                mgmtClass == null ? null : MadAttribute.of(mgmtClass, Mad.ATTRIBUTE_ID.getInt(segment, offset));
        return attribute == null ? null : attribute.layout();
    }
}
