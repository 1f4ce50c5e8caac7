// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortCapability;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;

/** Devices, contexts, and what can be asked of them. */
final class DeviceVerbs {
    /** Limits and their offsets in {@code struct ibv_device_attr}; all but the first have 32 bits. */
    private static final DeviceLimit[] LIMITS = {
        DeviceLimit.MAX_QP,
        DeviceLimit.MAX_QP_WR,
        DeviceLimit.MAX_SGE,
        DeviceLimit.MAX_SGE_RD,
        DeviceLimit.MAX_CQ,
        DeviceLimit.MAX_CQE,
        DeviceLimit.MAX_MR,
        DeviceLimit.MAX_PD,
        DeviceLimit.MAX_QP_RD_ATOM,
        DeviceLimit.MAX_EE_RD_ATOM,
        DeviceLimit.MAX_RES_RD_ATOM,
        DeviceLimit.MAX_QP_INIT_RD_ATOM,
        DeviceLimit.MAX_EE_INIT_RD_ATOM,
        DeviceLimit.MAX_EE,
        DeviceLimit.MAX_RDD,
        DeviceLimit.MAX_MW,
        DeviceLimit.MAX_RAW_IPV6_QP,
        DeviceLimit.MAX_RAW_ETHY_QP,
        DeviceLimit.MAX_MCAST_GRP,
        DeviceLimit.MAX_MCAST_QP_ATTACH,
        DeviceLimit.MAX_TOTAL_MCAST_QP_ATTACH,
        DeviceLimit.MAX_AH,
        DeviceLimit.MAX_FMR,
        DeviceLimit.MAX_MAP_PER_FMR,
        DeviceLimit.MAX_SRQ,
        DeviceLimit.MAX_SRQ_WR,
        DeviceLimit.MAX_SRQ_SGE
    };

    private static final int[] LIMIT_OFFSETS = {
        108, 112, 120, 124, 128, 132, 136, 140, 144, 148, 152, 156, 160, 168, 172, 176, 180, 184, 188, 192, 196, 200,
        204, 208, 212, 216, 220
    };

    private static final int DEVICE_ATTR_BYTES = 232;
    private static final int DEVICE_ATTR_EX_BYTES = 400;
    private static final int NAME_BYTES = 64;
    private static final int PATH_BYTES = 256;
    private static final int DEVICE_BYTES = 664;

    /** On-demand paging of single regions: {@code IBV_ODP_SUPPORT}. */
    private static final int ODP_SUPPORT = 1;

    /** SEND, RECV, WRITE, READ, ATOMIC and SRQ_RECV: the device reads and writes memory as the program does. */
    private static final int ODP_ALL = 0x3F;

    /** Timestamps of completions are nanoseconds. */
    private static final long CLOCK_KHZ = 1_000_000;

    private static final int ODP_DATAGRAMS = 0x23;
    private static final int ODP_UNRELIABLE = 0x27;

    /** The devices in the order of the list that the program got. */
    private static volatile List<Device> devices = List.of();

    private DeviceVerbs() {}

    /** Writes an array of {@code struct ibv_device}, and one of GUIDs. */
    static int list(CallArguments a) {
        List<Device> present = Rdma.devices();
        devices = present.subList(0, Math.min(present.size(), a.small(2)));
        for (int i = 0; i < devices.size(); i++) {
            Device device = devices.get(i);
            long at = a.number(0) + (long) i * DEVICE_BYTES;
            CMemory.putLong(a.number(1) + (long) i * Long.BYTES, Long.reverseBytes(device.guid()));
            CMemory.putInt(at + 16, device.nodeType().code());
            CMemory.putInt(at + 20, device.transport().code());
            CMemory.putText(at + 24, device.name(), NAME_BYTES);
            CMemory.putText(at + 88, "uverbs" + i, NAME_BYTES);
            CMemory.putText(at + 152, "/sys/class/infiniband_verbs/uverbs" + i, PATH_BYTES);
            CMemory.putText(at + 408, "/sys/class/infiniband/" + device.name(), PATH_BYTES);
        }
        return devices.size();
    }

    static List<Device> devices() {
        return devices;
    }

    static int open(CallArguments a) {
        Device device = devices.get(a.small(0));
        long pointer = a.number(1);
        Context context;
        try {
            context = device.open();
        } catch (RdmaException e) {
            // Programs that open all devices go on with the others.
            throw e.errno() == Errno.EADDRINUSE ? busy(device, e) : e;
        }
        context.registerEventHandler(
                event -> CEvents.asyncEvent(pointer, event.type().code(), addressOf(event), event.port()));
        CMemory.putInt(a.number(2), context.completionVectors());
        SysfsTree.opened(device, context);
        return ObjectTable.add(context, context);
    }

    private static RdmaException busy(Device device, RdmaException cause) {
        System.err.println("rdma4j: " + device.name() + ": " + cause.getMessage());
        return new RdmaException(Errno.EBUSY, device.name() + " is in use by another process", cause);
    }

    /** The address in C of the queue that an event refers to; 0 for a port or the device. */
    private static long addressOf(AsyncEvent event) {
        Object address = null;
        if (event.completionQueue() != null) {
            address = event.completionQueue().userContext();
        } else if (event.queuePair() != null) {
            address = event.queuePair().userContext();
        } else if (event.sharedReceiveQueue() != null) {
            address = event.sharedReceiveQueue().userContext();
        }
        return address instanceof Long number ? number : 0;
    }

    static int close(CallArguments a) throws Exception {
        Context context = a.object(0, Context.class);
        ObjectTable.destroyAll(context);
        SharedPages.releaseAll(context);
        return 0;
    }

    /** Closes all contexts when the process ends. */
    static int exit() throws Exception {
        try {
            UcmaFile.closeAll();
            for (Context context : ObjectTable.all(Context.class)) {
                ObjectTable.destroyAll(context);
            }
        } finally {
            SysfsTree.remove();
        }
        return 0;
    }

    static int query(CallArguments a) {
        DeviceAttributes attributes = a.object(0, Context.class).queryDevice();
        long out = a.number(1);
        CMemory.putText(out, attributes.firmwareVersion(), NAME_BYTES);
        CMemory.putLong(out + 64, Long.reverseBytes(attributes.nodeGuid()));
        CMemory.putLong(out + 72, Long.reverseBytes(attributes.systemImageGuid()));
        CMemory.putLong(out + 80, attributes.limit(DeviceLimit.MAX_MR_SIZE));
        CMemory.putLong(out + 88, attributes.pageSizeCapability());
        CMemory.putInt(out + 96, attributes.vendorId());
        CMemory.putInt(out + 100, attributes.vendorPartId());
        CMemory.putInt(out + 104, attributes.hardwareVersion());
        CMemory.putInt(out + 116, DeviceCapability.mask(attributes.capabilities()));
        CMemory.putInt(out + 164, attributes.atomicCapability().code());
        for (int i = 0; i < LIMITS.length; i++) {
            CMemory.putInt(out + LIMIT_OFFSETS[i], attributes.limit(LIMITS[i]));
        }
        CMemory.putShort(out + 224, (int) attributes.limit(DeviceLimit.MAX_PKEYS));
        CMemory.putByte(out + 226, attributes.localCaAckDelay());
        CMemory.putByte(out + 227, attributes.physicalPortCount());
        if (a.number(2) >= DEVICE_ATTR_EX_BYTES) {
            queryExtended(attributes, out);
        }
        return 0;
    }

    /** The members of {@code struct ibv_device_attr_ex} behind {@code orig_attr}. */
    private static void queryExtended(DeviceAttributes attributes, long out) {
        CMemory.putInt(out + DEVICE_ATTR_BYTES, 0);
        CMemory.putLong(out + 240, ODP_SUPPORT);
        CMemory.putInt(out + 248, ODP_ALL);
        CMemory.putInt(out + 252, ODP_UNRELIABLE);
        CMemory.putInt(out + 256, ODP_DATAGRAMS);
        CMemory.putLong(out + 264, -1L); // all bits of a timestamp
        CMemory.putLong(out + 272, CLOCK_KHZ);
        CMemory.putLong(out + 280, DeviceCapability.mask(attributes.capabilities()));
        CMemory.putLong(out + 376, attributes.limit(DeviceLimit.MAX_DM_SIZE));
        CMemory.putInt(out + 392, ODP_ALL);
        CMemory.putInt(out + 396, attributes.physicalPortCount());
    }

    static int queryPort(CallArguments a) {
        PortAttributes port = a.object(0, Context.class).queryPort(a.small(1));
        long out = a.number(2);
        int[] words = {
            port.state().code(),
            port.maxMtu().code(),
            port.activeMtu().code(),
            port.gidTableLength(),
            PortCapability.mask(port.capabilities()),
            (int) port.maxMessageSize(),
            port.badPkeyCounter(),
            port.qkeyViolationCounter()
        };
        for (int i = 0; i < words.length; i++) {
            CMemory.putInt(out + 4L * i, words[i]);
        }
        CMemory.putShort(out + 32, port.pkeyTableLength());
        CMemory.putShort(out + 34, port.lid());
        CMemory.putShort(out + 36, port.smLid());
        int[] octets = {
            port.lmc(),
            port.maxVlNumber(),
            port.smSl(),
            port.subnetTimeout(),
            port.initTypeReply(),
            port.activeWidth().code(),
            port.activeSpeed().code(),
            port.physicalState().code(),
            port.linkLayer().code()
        };
        for (int i = 0; i < octets.length; i++) {
            CMemory.putByte(out + 38 + i, octets[i]);
        }
        return 0;
    }

    /** The last argument is true if an empty entry is the zero GID and no error. */
    static int queryGid(CallArguments a) {
        Context context = a.object(0, Context.class);
        if (a.flag(4) && context.queryGid(a.small(1), a.small(2)).isZero()) {
            return 0;
        }
        putEntry(a.number(3), context.queryGidEntry(a.small(1), a.small(2)));
        return 0;
    }

    static int queryGidTable(CallArguments a) {
        List<GidEntry> table = a.object(0, Context.class).queryGidTable();
        if (a.number(2) < table.size()) {
            throw new RdmaException(
                    Errno.EINVAL, "the GID table has " + table.size() + " entries, the buffer " + a.number(2));
        }
        long out = a.number(1);
        for (GidEntry entry : table) {
            putEntry(out, entry);
            out += a.number(3);
        }
        return table.size();
    }

    private static void putEntry(long out, GidEntry entry) {
        CMemory.putGid(out, entry.gid());
        CMemory.putInt(out + 16, entry.index());
        CMemory.putInt(out + 20, entry.port());
        CMemory.putInt(out + 24, entry.type().code());
        CMemory.putInt(out + 28, interfaceIndex(entry.netDeviceName()));
    }

    private static int interfaceIndex(String name) {
        try {
            NetworkInterface found = name.isEmpty() ? null : NetworkInterface.getByName(name);
            return found == null ? 0 : found.getIndex();
        } catch (SocketException e) {
            throw new RdmaException(Errno.EIO, "cannot ask for interface " + name, e);
        }
    }

    static int queryPkey(CallArguments a) {
        return a.object(0, Context.class).queryPkey(a.small(1), a.small(2));
    }
}
