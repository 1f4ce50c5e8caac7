// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.base.NanoClock;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The awaited condition becomes true while the caller starts to sleep in the device: the caller sees it, or is woken.
 */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "it did not fall asleep, or was woken")
@Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "it slept until the time was up")
@State
public class CallerWaitStress implements NetDeviceOps {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(1);

    private final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC, 0);
    private final LoopThreads nobody = new LoopThreads(loop);
    private final CallerWait direct = new CallerWait(loop, nobody);
    private final Semaphore link = new Semaphore(0);
    private boolean came;
    private boolean overslept;

    /** Creates a device that is up and in which the caller can sleep. */
    public CallerWaitStress() {
        NetDevice device = NetHost.standalone(
                new NetDevice(new NetDeviceSetup(LinkType.IP, "eth0", 1, 1500, 0, List.of(), FeatureSet.NONE), this));
        device.up();
        direct.place(new DeviceInterrupt(device, nobody.interrupts().allocate(true)));
    }

    private synchronized boolean hasCome() {
        return came;
    }

    @Actor
    public void bring() {
        synchronized (this) {
            came = true;
        }
        direct.wake();
    }

    @Actor
    public void sleep(I_Result result) {
        while (!hasCome()) {
            if (!direct.sleep(LONG_NS, this::hasCome)) {
                direct.left();
            }
        }
        result.r1 = overslept ? 1 : 0;
    }

    @Override
    public void awaitReadable(long timeoutNs) {
        try {
            overslept = !link.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS) && hasCome();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void wakeup() {
        link.release();
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice to) {
        return null;
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice from) {
        skb.free();
        return NetdevTx.OK;
    }
}
