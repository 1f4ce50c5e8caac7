// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.base.NanoClock;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The thread that posts a message delivers it over the switch, without another turn of the loop. */
class MessageDeliveryTest {
    private static final int BYTES = 4096;
    private static final int DEPTH = 8;

    private final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    private final IbFabric fabric = new IbFabric(loop);
    private final List<IbDevice> devices = List.of(fabric.newDevice("ib0", 0x10), fabric.newDevice("ib1", 0x20));
    private final Host host = Host.create("delivery");

    /** A queue pair with its objects. */
    private final class End {
        final Context context;
        final ProtectionDomain pd;
        final CompletionQueue sends;
        final CompletionQueue receives;
        final MemoryRegion memory;
        final QueuePair qp;

        End(String device) {
            context = host.device(device).open();
            pd = context.allocatePd();
            sends = context.createCq(DEPTH);
            receives = context.createCq(DEPTH);
            memory = pd.allocateMemory(BYTES, Set.of(AccessFlag.LOCAL_WRITE));
            qp = pd.createQp(QpInitAttributes.builder(sends, receives)
                    .type(QpType.RC)
                    .capabilities(QpCapabilities.of(DEPTH, DEPTH))
                    .build());
        }

        void connect(End peer) {
            int lid = peer.context.queryPort(1).lid();
            qp.modify(QpAttributes.builder()
                    .state(QpState.INIT)
                    .port(1)
                    .pkeyIndex(0)
                    .accessFlags(Set.of())
                    .build());
            qp.modify(QpAttributes.builder()
                    .state(QpState.RTR)
                    .pathMtu(Mtu.MTU_1024)
                    .destinationQpn(peer.qp.qpn())
                    .rqPsn(0)
                    .maxDestRdAtomic(1)
                    .minRnrTimer(12)
                    .addressVector(AddressVector.local(1, lid, 0))
                    .build());
            qp.modify(QpAttributes.builder()
                    .state(QpState.RTS)
                    .timeout(14)
                    .retryCount(7)
                    .rnrRetry(7)
                    .sqPsn(0)
                    .maxRdAtomic(1)
                    .build());
        }

        void close() {
            qp.close();
            memory.close();
            receives.close();
            sends.close();
            pd.close();
            context.close();
        }
    }

    @BeforeEach
    void manage() {
        IbSwitch between = fabric.newSwitch("switch", 0x30, 2);
        fabric.connect(devices.get(0).port(), between.port(1), IbLinkProfile.PLAIN);
        fabric.connect(devices.get(1).port(), between.port(2), IbLinkProfile.PLAIN);
        try (IbManager manager = new IbManager(devices.getFirst(), SubnetOptions.DEFAULT)) {
            while (!manager.isUp()
                    || devices.stream().anyMatch(device -> device.port().state() != PortState.ACTIVE)) {
                loop.progress(loop.clock().nanoTime());
            }
        }
        host.register(new IbProvider(devices));
    }

    @AfterEach
    void close() {
        host.close();
        fabric.close();
        loop.close();
    }

    @Test
    void aMessageHasArrivedWhenThePostReturns() {
        End a = new End("ib0");
        End b = new End("ib1");
        a.connect(b);
        b.connect(a);
        for (int i = 0; i < 2 * DEPTH; i++) {
            b.qp.postReceive(ReceiveRequest.of(i, b.memory.sge(0, BYTES)));
            a.qp.postSend(SendRequest.send()
                    .wrId(i)
                    .sge(a.memory.sge(0, BYTES))
                    .signaled()
                    .build());
            assertThat(b.receives.peek(2))
                    .as("message %d, before anybody polls", i)
                    .isEqualTo(1);
            assertThat(b.receives.poll(1)).hasSize(1);
            assertThat(a.sends.poll(1)).as("acknowledged by the first poll").hasSize(1);
        }
        a.close();
        b.close();
    }
}
