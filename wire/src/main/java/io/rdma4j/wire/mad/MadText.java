// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import io.rdma4j.wire.FieldSink;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Describes a management datagram for tools: class, method, attribute, and the fields that are not 0. */
public final class MadText {
    private static final int CLASS_PORT_INFO = SaAttribute.CLASS_PORT_INFO.attributeId();

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
        if (Mad.CLASS_SPECIFIC.isSet(segment, offset)) {
            sink.hex("classSpecific", Mad.CLASS_SPECIFIC.get(segment, offset), 4);
        }
        if (Mad.ATTRIBUTE_MODIFIER.isSet(segment, offset)) {
            sink.hex("attributeModifier", Mad.ATTRIBUTE_MODIFIER.get(segment, offset), 8);
        }
        MadClass mgmtClass = MadClass.of(Mad.MGMT_CLASS.getInt(segment, offset));
        if (mgmtClass == null) {
            return;
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
        if (layout != null) {
            layout.describe(segment, offset + mgmtClass.dataOffset(), sink);
        }
        describeRdmaCm(segment, offset, sink);
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
        int attribute = Mad.ATTRIBUTE_ID.getInt(segment, offset);
        MadClass mgmtClass = MadClass.of(Mad.MGMT_CLASS.getInt(segment, offset));
        if (mgmtClass == MadClass.SUBN_ADM) {
            SaAttribute record = SaAttribute.of(attribute);
            return record == null ? null : record.layout();
        }
        if (attribute == CLASS_PORT_INFO) {
            return ClassPortInfo.LAYOUT;
        }
        return attribute == SaAttribute.NOTICE.attributeId() ? Notice.LAYOUT : null;
    }
}
