// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.values.XrcdInitAttributes;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An XRC target queue pair belongs to all processes that have opened it, not only to its creator. */
@ProvedOn("carrier:served")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SharedXrcDomainTest {
    @TempDir
    private Path folder;

    @Test
    @Covers({"XRC-8", "XRC-10", "XRC-11", "XRC-12", "XRC-13", "XRC-14", "XRC-16", "GEN-28"})
    void aTargetWorksOnAfterTheProcessThatMadeItWasKilled() throws Exception {
        Path file = Files.createFile(folder.resolve("domain"));
        try (ServedDevice served = new ServedDevice(folder.resolve("run"), UverbsServer.ABI_VERSION);
                Context context = served.near.open("rxe0");
                XrcDomain domain = context.openXrcDomain(XrcdInitAttributes.shared(file));
                OtherProcess maker = OtherProcess.start(served.directory, "MakeTarget.java", file)) {
            int qpn = Integer.parseInt(maker.readLine());
            try (QueuePair opened = domain.openQp(qpn)) {
                assertThat(hasAny(served, maker)).isTrue();
                maker.kill();
                long endNs = System.nanoTime() + Duration.ofSeconds(30).toNanos();
                while (hasAny(served, maker) && System.nanoTime() < endNs) {
                    Thread.sleep(10);
                }
                assertThat(hasAny(served, maker)).isFalse();
                assertThat(opened.query().state()).isEqualTo(QpState.INIT);
                receiveThrough(context, domain, opened);
            }
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> domain.openQp(qpn))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
        }
    }

    private static boolean hasAny(ServedDevice served, OtherProcess process) {
        return served.device.resources().stream()
                .anyMatch(resource -> resource.owner().pid() == process.pid());
    }

    /**
     * Sends a message from an initiator of this process to a shared receive queue of this process, through the target
     * of the other process.
     */
    private static void receiveThrough(Context context, XrcDomain domain, QueuePair target) {
        try (ProtectionDomain pd = context.allocatePd();
                CompletionQueue cq = context.createCq(4);
                SharedReceiveQueue srq = pd.createSrq(SrqInitAttributes.xrc(new SrqAttributes(4, 1, 0), domain, cq));
                QueuePair initiator = pd.createQp(QpInitAttributes.builder(cq, null)
                        .type(QpType.XRC_INI)
                        .capabilities(QpCapabilities.of(4, 0))
                        .build());
                MemoryRegion memory = pd.allocateMemory(4096, Set.of(AccessFlag.LOCAL_WRITE))) {
            AddressVector path = AddressVector.roce(1, context.queryGid(1, 0), 0);
            LinkSetup link = LinkSetup.DEFAULT;
            target.modify(Transitions.readyToReceive(QpType.XRC_TGT, link, initiator.qpn(), path)
                    .build());
            Transitions.connect(initiator, Set.of(), link, target.qpn(), path);
            memory.segment().setString(0, "by number");
            srq.postReceive(ReceiveRequest.of(1, memory.sge(2048, 100)));
            initiator.postSend(SendRequest.send()
                    .xrcSrq(srq.number())
                    .sge(memory.sge(0, 100))
                    .build());
            WorkCompletion received = cq.poll(1, Duration.ofSeconds(30)).getFirst();
            assertThat(received.status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(received.qpNumber()).isEqualTo(target.qpn());
            assertThat(memory.segment().getString(2048)).isEqualTo("by number");
        }
    }
}
