// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.mad.umad.Umad;
import io.rdma4j.mad.umad.UmadFile;
import io.rdma4j.mad.umad.UmadHeader;
import io.rdma4j.uverbs.client.UmadClient;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests from queue pairs 0 and 1 of a port and waits for their responses. The device is of this process, or
 * another process serves it. One thread.
 */
final class MadAccess implements AutoCloseable {
    /** Milliseconds for a response. */
    static final int DEFAULT_TIMEOUT_MS = 1000;
    /** Transmissions after the first one. */
    private static final int RETRIES = 2;

    private static final int GSI_QPN = 1;
    private static final int OUI = 37;
    private static final int OUI_BYTES = 3;
    private static final int VENDOR_DATA = 40;
    private static final int BUFFER = 4096;

    private final Context context;
    private final int port;
    private final int timeoutMs;
    private final long managementKey;
    private final Semaphore readable = new Semaphore(0);
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Umad umad;
    private final Map<Integer, Integer> agents = new HashMap<>();
    private MemorySegment buffer = MemorySegment.ofArray(new byte[BUFFER]);
    private int lastId;
    private long sent;

    /**
     * Opens a port.
     *
     * @param context of the device; stays open longer than this object
     * @param port number, from 1
     * @param timeoutMs for each transmission of a request
     * @param managementKey M_Key of requests of subnet management
     */
    MadAccess(Context context, int port, int timeoutMs, long managementKey) {
        this.context = context;
        this.port = port;
        this.timeoutMs = timeoutMs;
        this.managementKey = managementKey;
        if (context.isRemote()) {
            umad = UmadClient.open(RunDirectory.configured(), context.device().name(), port, readable::release);
        } else {
            GeneralServices services = GeneralServices.open(context, port, true);
            opened.push(services);
            umad = new UmadFile(services::register, port, readable::release);
        }
        opened.push(umad);
    }

    /** Returns the attributes of the port. */
    PortAttributes port() {
        return context.queryPort(port);
    }

    /** Returns the number of the port. */
    int portNumber() {
        return port;
    }

    Context context() {
        return context;
    }

    /** Returns the number of requests so far. */
    long sent() {
        return sent;
    }

    // Subnet management

    /**
     * Reads an attribute of subnet management.
     *
     * @param what names the request in the message of the failure
     * @return its 64 bytes
     */
    MemorySegment get(String what, MadTarget to, MadAttribute attribute, int modifier) throws DiagFailure {
        return manage(what, to, MadMethod.GET, attribute, modifier, null);
    }

    /**
     * Reads or sets an attribute of subnet management.
     *
     * @param data of a Set
     * @return the 64 bytes of the response
     */
    MemorySegment manage(
            String what,
            MadTarget to,
            MadMethod method,
            MadAttribute attribute,
            int modifier,
            @Nullable MemorySegment data)
            throws DiagFailure {
        boolean isDirected = to.isDirected();
        MadClass mgmtClass = isDirected ? MadClass.SUBN_DIRECTED_ROUTE : MadClass.SUBN_LID_ROUTED;
        MemorySegment mad = begin(mgmtClass, method, attribute, modifier);
        Smp.M_KEY.put(mad, 0, managementKey);
        int lid = to.lid();
        if (isDirected) {
            // A route without a part by LID is permissive on the wire, however it is written.
            Smp.DR_SLID.put(mad, 0, lid == 0 ? Lid.PERMISSIVE : to.drSlid());
            Smp.DR_DLID.put(mad, 0, Lid.PERMISSIVE);
            Smp.HOP_COUNT.put(mad, 0, to.hops().size() - 1);
            for (int hop = 1; hop < to.hops().size(); hop++) {
                Smp.INITIAL_PATH.elements().get(hop).put(mad, 0, to.hops().get(hop));
            }
            lid = lid == 0 ? Lid.PERMISSIVE : lid;
        }
        if (data != null) {
            MemorySegment.copy(data, 0, mad, Smp.DATA, data.byteSize());
        }
        MadAddress address = MadAddress.smi(AddressVector.local(port, lid, 0));
        return exchange(what, to, address, mad).asSlice(Smp.DATA, Smp.DATA_BYTES);
    }

    // General services

    /**
     * Reads or resets an attribute of performance management.
     *
     * @param data the attribute of the request
     * @return 192 bytes
     */
    MemorySegment performance(String what, MadTarget to, MadMethod method, MadAttribute attribute, MemorySegment data)
            throws DiagFailure {
        MemorySegment mad = begin(MadClass.PERF_MGT, method, attribute, 0);
        int offset = MadClass.PERF_MGT.dataOffset();
        MemorySegment.copy(data, 0, mad, offset, data.byteSize());
        return exchange(what, to, gsi(to.lid()), mad).asSlice(offset, Mad.BYTES - offset);
    }

    /**
     * Asks the subnet administrator.
     *
     * @param smLid where it is; 0 for that of the port's subnet manager
     * @param mask components of the record that the query compares
     * @return the whole response: headers and records
     */
    MemorySegment administration(
            String what, int smLid, MadMethod method, MadAttribute attribute, long mask, MemorySegment recordBytes)
            throws DiagFailure {
        MemorySegment mad = begin(MadClass.SUBN_ADM, method, attribute, 0);
        SaHeader.COMPONENT_MASK.put(mad, SaHeader.OFFSET, mask);
        MemorySegment.copy(recordBytes, 0, mad, SaHeader.DATA, recordBytes.byteSize());
        MadTarget to = MadTarget.ofLid(smLid == 0 ? port().smLid() : smLid);
        return exchange(what, to, gsi(to.lid()), mad);
    }

    /**
     * Sends a Get of a vendor's class.
     *
     * @param mgmtClass with OUI
     * @return 216 bytes
     */
    MemorySegment vendor(String what, MadTarget to, int mgmtClass, int oui) throws DiagFailure {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        lastId++;
        Mad.BASE_VERSION.put(mad, 0, Mad.BASE_VERSION_1);
        Mad.MGMT_CLASS.put(mad, 0, mgmtClass);
        Mad.CLASS_VERSION.put(mad, 0, 1);
        Mad.METHOD.put(mad, 0, MadMethod.GET.code());
        Mad.TRANSACTION_ID.put(mad, 0, lastId);
        for (int i = 0; i < OUI_BYTES; i++) {
            mad.set(ValueLayout.JAVA_BYTE, OUI + i, (byte) (oui >> (OUI_BYTES - 1 - i) * Byte.SIZE));
        }
        return exchange(what, to, gsi(to.lid()), mad).asSlice(VENDOR_DATA, Mad.BYTES - VENDOR_DATA);
    }

    /**
     * Answers the requests of a vendor's class until the thread is interrupted.
     *
     * @param mgmtClass with OUI
     * @param data of the answers, at most 216 bytes
     */
    void serve(int mgmtClass, int oui, byte[] data) {
        int agent = umad.register(GSI_QPN, MadRegistration.vendor(mgmtClass, oui, MadMethod.GET.code()), 0);
        while (!Thread.currentThread().isInterrupted()) {
            MemorySegment packet = read();
            UmadHeader request = UmadHeader.read(packet, port);
            Mad.METHOD.put(packet, UmadHeader.BYTES, MadMethod.GET.responseCode());
            MemorySegment.copy(data, 0, packet, ValueLayout.JAVA_BYTE, UmadHeader.BYTES + VENDOR_DATA, data.length);
            new UmadHeader(agent, 0, 0, 0, 0, request.address()).write(packet);
            umad.write(packet);
        }
    }

    private MadAddress gsi(int lid) {
        return MadAddress.gsi(AddressVector.local(port, lid, 0), 0);
    }

    // Requests

    private MemorySegment begin(MadClass mgmtClass, MadMethod method, MadAttribute attribute, int modifier) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        lastId++;
        Mad.write(mad, 0, mgmtClass, method.code(), attribute.attributeId(), lastId);
        Mad.ATTRIBUTE_MODIFIER.put(mad, 0, modifier);
        return mad;
    }

    /** Returns the agent for requests of a class; that of subnet administration reassembles answers. */
    private int agent(int mgmtClass) {
        MadClass known = MadClass.of(mgmtClass);
        boolean isManagement = known != null && known.isManagement();
        return agents.computeIfAbsent(
                mgmtClass, _ -> umad.register(isManagement ? 0 : GSI_QPN, null, known == MadClass.SUBN_ADM ? 1 : 0));
    }

    /** Sends a request, and returns the response if its status is good. */
    private MemorySegment exchange(String what, MadTarget to, MadAddress address, MemorySegment mad)
            throws DiagFailure {
        MemorySegment packet = MemorySegment.ofArray(new byte[UmadHeader.BYTES + Mad.BYTES]);
        new UmadHeader(agent(Mad.MGMT_CLASS.getInt(mad, 0)), 0, timeoutMs, RETRIES, 0, address).write(packet);
        MemorySegment.copy(mad, 0, packet, UmadHeader.BYTES, Mad.BYTES);
        umad.write(packet);
        sent++;
        MemorySegment response = await();
        if (UmadHeader.read(response, port).status() != 0) {
            throw new DiagFailure(what, "mad_rpc: _do_madrpc failed; dport (" + to + ")", -1);
        }
        MemorySegment answer = response.asSlice(UmadHeader.BYTES);
        int madStatus = Mad.STATUS.getInt(answer, 0) & ~(to.isDirected() ? MadStatus.DIRECTION : 0);
        if (madStatus != MadStatus.SUCCESS) {
            throw new DiagFailure(
                    what,
                    "mad_rpc: MAD completed with error status 0x%x; dport (%s)".formatted(madStatus, to),
                    madStatus);
        }
        return answer;
    }

    /** Waits for the response to the last request, or for its timeout. */
    private MemorySegment await() {
        while (true) {
            MemorySegment packet = read();
            if ((int) Mad.TRANSACTION_ID.get(packet, UmadHeader.BYTES) == lastId) {
                return packet;
            }
        }
    }

    private MemorySegment read() {
        while (true) {
            try {
                int length = umad.read(buffer);
                return MemorySegment.ofArray(buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
            } catch (RdmaException e) {
                switch (e.errno()) {
                    case EAGAIN -> acquire();
                    case ENOSPC ->
                        buffer = MemorySegment.ofArray(
                                new byte[UmadHeader.read(buffer, port).length()]);
                    default -> throw e;
                }
            }
        }
    }

    private void acquire() {
        try {
            readable.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(Errno.EINTR, "interrupted while waiting for a response");
        }
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException("no object of the MAD layer throws this", e);
            }
        }
    }
}
