// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.MadSend;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.rdmacm.connection.RdmaConnection;
import io.rdma4j.rdmacm.connection.RdmaServer;
import io.rdma4j.sa.SaClient;
import io.rdma4j.sa.SaRecord;
import io.rdma4j.sa.SaResult;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One program uses all that a device is for, and all uses of its queue pair 1 at once. */
@Timeout(60)
class ManagementUsesTest {
    private static final int PORT = 1;
    private static final int VENDOR_CLASS = 0x0A;

    private final Map<Integer, CompletableFuture<Integer>> heard = new ConcurrentHashMap<>();

    private CompletableFuture<Integer> heard(int mgmtClass) {
        return heard.computeIfAbsent(mgmtClass, _ -> new CompletableFuture<>());
    }

    /** An agent that tells in which class a datagram came to it. */
    private MadAgent agent(GeneralServices services, int mgmtClass) {
        return services.register(MadAgentSetup.DEFAULT
                .registration(new MadRegistration(mgmtClass, 1, 0, Set.of(MadMethod.SEND.code())))
                .onSent((_, _) -> {})
                .onReceived((_, mad) -> {
                    try (mad) {
                        heard(mgmtClass).complete(Mad.MGMT_CLASS.getInt(mad.datagram(), 0));
                    }
                }));
    }

    private static void send(MadAgent from, Gid to, int mgmtClass) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.BASE_VERSION.put(mad, 0, Mad.BASE_VERSION_1);
        Mad.MGMT_CLASS.put(mad, 0, mgmtClass);
        Mad.CLASS_VERSION.put(mad, 0, 1);
        Mad.METHOD.put(mad, 0, MadMethod.SEND.code());
        from.send(MadSend.of(MadAddress.gsi(AddressVector.roce(PORT, to, 0), 0), mad));
    }

    private static SaResult path(SaClient sa, Gid gid) throws Exception {
        CompletableFuture<SaResult> found = new CompletableFuture<>();
        sa.path(
                SaRecord.of(MadAttribute.PATH_RECORD)
                        .set(PathRecord.SGID, gid)
                        .set(PathRecord.DGID, gid)
                        .set(PathRecord.NUMB_PATH, 1),
                1000,
                found::complete);
        return found.get(30, TimeUnit.SECONDS);
    }

    private static void exchange() throws Exception {
        try (RdmaServer server = RdmaServer.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            CompletableFuture<RdmaConnection> connecting =
                    CompletableFuture.supplyAsync(() -> RdmaConnection.connect(server.address()));
            try (RdmaConnection accepted = server.accept();
                    RdmaConnection client = connecting.get(30, TimeUnit.SECONDS)) {
                client.send("over a connection");
                assertThat(accepted.receiveText()).isEqualTo("over a connection");
            }
        }
    }

    @Test
    @Covers({"GEN-1", "MAD-14"})
    void resourcesMemoryConnectionsCompletionsAndTheSubnetAreServed() throws Exception {
        int snmp = MadClass.SNMP.code();
        int performance = MadClass.PERF_MGT.code();
        try (Context context = Rdma.open(Connection.DEVICE);
                ProtectionDomain pd = context.allocatePd();
                MemoryRegion memory = pd.allocateMemory(4096, Set.of());
                GeneralServices services = GeneralServices.open(context, PORT, true);
                MadAgent manager = agent(services, performance);
                MadAgent tunnel = agent(services, snmp);
                MadAgent vendor = agent(services, VENDOR_CLASS);
                SaClient sa = SaClient.open(services)) {
            assertThat(memory.lkey()).isNotZero();
            Gid gid = context.queryGid(PORT, 0);
            send(manager, gid, snmp);
            send(tunnel, gid, VENDOR_CLASS);
            send(vendor, gid, performance);
            exchange();
            assertThat(context.queryPort(PORT).capabilities())
                    .contains(PortCapability.CM_SUP, PortCapability.SNMP_TUNNEL_SUP, PortCapability.VENDOR_CLASS_SUP);
            SaResult path = path(sa, gid);
            assertThat(path.isSuccess()).isTrue();
            assertThat(path.records().getFirst().gid(PathRecord.DGID)).isEqualTo(gid);
            for (int mgmtClass : new int[] {performance, snmp, VENDOR_CLASS}) {
                assertThat(heard(mgmtClass).get(30, TimeUnit.SECONDS)).isEqualTo(mgmtClass);
            }
        }
    }
}
