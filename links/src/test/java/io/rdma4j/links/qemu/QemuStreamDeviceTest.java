// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QemuStreamDeviceTest {
    private static final long LEFT = MacAddress.parse("02:00:00:00:00:01");
    private static final long RIGHT = MacAddress.parse("02:00:00:00:00:02");
    private static final int TYPE = 0x88B5;
    private static final int BUFFERS = 8;
    private static final long RETRY_NS = 1_000_000_000L;
    private static final long TIMEOUT_NS = 20_000_000_000L;

    @TempDir
    private Path directory;

    private final SkBuffPool pool = new SkBuffPool(BUFFERS, 2048);
    private final List<NetDevice> devices = new ArrayList<>();
    private final List<byte[]> received = new ArrayList<>();
    private long nowNs;

    @AfterEach
    void close() {
        devices.forEach(NetDevice::unregister);
        assertThat(pool.available()).isEqualTo(BUFFERS);
        pool.close();
    }

    private static NetDeviceSetup setup(String name, long mac) {
        return QemuStreamDevice.setup(name, 2, 1500, mac, List.of());
    }

    private QemuStreamDevice listen(SocketAddress local) {
        QemuStreamDevice made = QemuStreamDevice.listen(setup("right0", RIGHT), local);
        use(made.netDevice());
        return made;
    }

    private NetDevice call(SocketAddress remote, NanoClock clock) {
        QemuStreamDevice made = QemuStreamDevice.connect(setup("left0", LEFT), remote, RETRY_NS, clock);
        use(made.netDevice());
        return made.netDevice();
    }

    private void use(NetDevice device) {
        devices.add(device);
        device.protocols().addHandler(TYPE, skb -> {
            received.add(Packets.bytes(skb));
            skb.free();
        });
        device.up();
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private SocketAddress path() {
        return UnixDomainSocketAddress.of(directory.resolve("net0"));
    }

    /** Polls all devices until {@code done}. */
    private void work(BooleanSupplier done) {
        long begin = System.nanoTime();
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime() - begin).as("waited, ns").isLessThan(TIMEOUT_NS);
            devices.forEach(device -> device.napi().poll(64));
        }
    }

    private NetdevTx send(NetDevice from, byte[] payload) {
        SkBuff frame = Frames.frame(pool, from.macAddress() == LEFT ? RIGHT : LEFT, from.macAddress(), TYPE, payload);
        NetdevTx outcome = from.transmit(frame);
        if (outcome == NetdevTx.BUSY) {
            frame.free();
        }
        return outcome;
    }

    private static ByteBuffer frame(int payloadBytes) {
        ByteBuffer bytes = ByteBuffer.allocate(4 + 14 + payloadBytes);
        bytes.putInt(14 + payloadBytes).putShort((short) (RIGHT >>> 32)).putInt((int) RIGHT);
        bytes.putShort((short) (LEFT >>> 32)).putInt((int) LEFT).putShort((short) TYPE);
        for (int i = 0; i < payloadBytes; i++) {
            bytes.put((byte) i);
        }
        return bytes.flip();
    }

    private SocketChannel rawCaller(QemuStreamDevice server) throws IOException {
        SocketChannel peer = SocketChannel.open(server.address());
        work(server.netDevice()::isCarrierOk);
        return peer;
    }

    @Test
    void framesGoBothWaysOverTcpAndOverAUnixSocket() {
        for (SocketAddress address : List.of(anyPort(), path())) {
            QemuStreamDevice server = listen(address);
            NetDevice left = call(server.address(), NanoClock.SYSTEM);
            NetDevice right = server.netDevice();
            work(() -> left.isCarrierOk() && right.isCarrierOk());
            received.clear();
            byte[] there = Packets.random(1500, 1);
            byte[] back = Packets.random(46, 2);
            assertThat(send(left, there)).isEqualTo(NetdevTx.OK);
            work(() -> received.size() == 1);
            assertThat(send(right, back)).isEqualTo(NetdevTx.OK);
            work(() -> received.size() == 2);
            assertThat(received).containsExactly(there, back);
            assertThat(left.stats().txBytes()).isEqualTo(1514);
            assertThat(left.stats().rxBytes()).isEqualTo(60);
        }
    }

    @Test
    void theFileOfAUnixSocketGoesWithTheDevice() {
        QemuStreamDevice server = listen(path());
        assertThat(directory.resolve("net0")).exists();
        server.netDevice().unregister();
        assertThat(directory.resolve("net0")).doesNotExist();
    }

    @Test
    void aFrameThatComesInPiecesIsPutTogether() throws IOException {
        QemuStreamDevice server = listen(path());
        try (SocketChannel peer = rawCaller(server)) {
            ByteBuffer bytes = frame(100);
            while (bytes.hasRemaining()) {
                peer.write(bytes.slice(bytes.position(), 1));
                bytes.position(bytes.position() + 1);
                assertThat(server.netDevice().napi().poll(64)).isEqualTo(bytes.hasRemaining() ? 0 : 1);
            }
        }
        assertThat(received).hasSize(1);
        assertThat(received.getFirst()).hasSize(100);
    }

    @Test
    void whatLeavesIsALengthAndTheFrame() throws IOException {
        QemuStreamDevice server = listen(path());
        try (SocketChannel peer = rawCaller(server)) {
            assertThat(send(server.netDevice(), new byte[] {1, 2, 3})).isEqualTo(NetdevTx.OK);
            ByteBuffer bytes = ByteBuffer.allocate(21);
            while (bytes.hasRemaining()) {
                peer.read(bytes);
            }
            assertThat(bytes.array())
                    .containsExactly(
                            0, 0, 0, 17, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, (byte) 0x88, (byte) 0xB5, 1, 2, 3);
        }
    }

    @Test
    void aLengthThatNoFrameHasEndsTheConnectionAndCounts() throws IOException {
        QemuStreamDevice server = listen(path());
        long errors = 0;
        for (int absurd : new int[] {0, -1, FrameStream.MAX_FRAME_BYTES + 1, Integer.MIN_VALUE}) {
            try (SocketChannel peer = rawCaller(server)) {
                peer.write(frame(20));
                peer.write(ByteBuffer.allocate(4).putInt(absurd).flip());
                peer.write(frame(30));
                work(() -> !server.netDevice().isCarrierOk());
                assertThat(peer.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            }
            assertThat(server.netDevice().stats().rxErrors()).isEqualTo(++errors);
            assertThat(received)
                    .as("what came before it, and nothing behind it")
                    .hasSize((int) errors)
                    .allSatisfy(frame -> assertThat(frame).hasSize(20));
        }
    }

    @Test
    void aFrameLongerThanTheMtuIsSkippedAndCounted() throws IOException {
        QemuStreamDevice server = listen(path());
        try (SocketChannel peer = rawCaller(server)) {
            for (int payload : new int[] {9000, 1505, 1504, 60_000, 10}) {
                peer.write(frame(payload));
            }
            work(() -> received.size() == 2);
        }
        assertThat(received.getFirst()).as("a tag is allowed for").hasSize(1504);
        assertThat(received.getLast()).hasSize(10);
        assertThat(server.netDevice().stats().rxErrors()).isEqualTo(3);
    }

    @Test
    void aPeerThatDoesNotReadMakesTheDeviceBusyAndLosesNothing() throws IOException {
        QemuStreamDevice server = listen(path());
        try (SocketChannel peer = rawCaller(server)) {
            byte[] payload = Packets.random(1400, 3);
            int taken = 0;
            while (send(server.netDevice(), payload) == NetdevTx.OK) {
                taken++;
            }
            assertThat(pool.available()).isEqualTo(BUFFERS);
            ByteBuffer bytes = ByteBuffer.allocate(taken * (4 + 14 + payload.length));
            while (bytes.hasRemaining()) {
                peer.read(bytes);
                // A poll flushes the send buffer, even without a new frame.
                server.netDevice().napi().poll(64);
            }
            bytes.flip();
            for (int i = 0; i < taken; i++) {
                assertThat(bytes.getInt()).isEqualTo(14 + payload.length);
                assertThat(bytes.slice(bytes.position() + 14, payload.length)).isEqualTo(ByteBuffer.wrap(payload));
                bytes.position(bytes.position() + 14 + payload.length);
            }
            assertThat(send(server.netDevice(), payload)).isEqualTo(NetdevTx.OK);
            assertThat(server.netDevice().stats().txPackets()).isEqualTo(taken + 1);
        }
    }

    @Test
    void aCallerThatIsNotHeardCallsAgainAfterTheTimeGiven() {
        NetDevice left = call(path(), () -> nowNs);
        left.napi().poll(64);
        assertThat(left.isCarrierOk()).isFalse();
        NetDevice right = listen(path()).netDevice();
        nowNs += RETRY_NS - 1;
        left.napi().poll(64);
        right.napi().poll(64);
        assertThat(right.isCarrierOk()).as("too early").isFalse();
        nowNs++;
        work(() -> left.isCarrierOk() && right.isCarrierOk());

        right.down();
        work(() -> !left.isCarrierOk());
        assertThat(send(left, new byte[10])).isEqualTo(NetdevTx.OK);
        assertThat(left.stats().txDropped()).as("without carrier").isEqualTo(1);
        right.up();
        nowNs += RETRY_NS;
        work(() -> left.isCarrierOk() && right.isCarrierOk());
        assertThat(send(left, new byte[10])).isEqualTo(NetdevTx.OK);
        work(() -> received.size() == 1);
    }

    @Test
    void aCallerWithoutRetryCallsOnceEachTimeItGoesUp() {
        NetDevice left = QemuStreamDevice.connect(setup("left0", LEFT), path(), 0, () -> nowNs)
                .netDevice();
        use(left);
        left.napi().poll(64);
        NetDevice right = listen(path()).netDevice();
        nowNs += 1000 * RETRY_NS;
        for (int i = 0; i < 10; i++) {
            left.napi().poll(64);
            right.napi().poll(64);
        }
        assertThat(right.isCarrierOk()).isFalse();
        left.down();
        left.up();
        work(() -> left.isCarrierOk() && right.isCarrierOk());
    }

    @Test
    void aSecondCallerHasItsTurnWhenTheFirstIsGone() throws IOException {
        QemuStreamDevice server = listen(path());
        SocketChannel first = rawCaller(server);
        try (SocketChannel second = SocketChannel.open(path())) {
            second.write(frame(5));
            assertThat(server.netDevice().napi().poll(64)).isZero();
            // An incomplete frame must not affect the next connection.
            first.write(frame(50).limit(20));
            server.netDevice().napi().poll(64);
            first.close();
            work(() -> received.size() == 1);
            assertThat(received.getFirst()).hasSize(5);
        }
    }

    @Test
    void whoSleepsIsWokenByAFrameAndByACaller() throws Exception {
        QemuStreamDevice server = listen(path());
        Thread caller = Thread.ofPlatform().start(() -> {
            try (SocketChannel peer = SocketChannel.open(path())) {
                peer.write(frame(5));
                assertThat(peer.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        long begin = System.nanoTime();
        while (received.isEmpty()) {
            server.netDevice().driver().awaitReadable(TIMEOUT_NS);
            server.netDevice().napi().poll(64);
        }
        assertThat(System.nanoTime() - begin).isLessThan(TIMEOUT_NS);
        server.netDevice().down();
        caller.join();
    }

    @Test
    void whatWaitsToBeSentWakesTheSleeperWhenThereIsRoom() throws Exception {
        QemuStreamDevice server = listen(path());
        try (SocketChannel peer = rawCaller(server)) {
            while (send(server.netDevice(), new byte[1400]) == NetdevTx.OK) {
                // until both buffers are full
            }
            server.netDevice().driver().awaitReadable(1);
            Thread reader = Thread.ofPlatform().start(() -> {
                try {
                    peer.read(ByteBuffer.allocate(1 << 20));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            long begin = System.nanoTime();
            server.netDevice().driver().awaitReadable(TIMEOUT_NS);
            assertThat(System.nanoTime() - begin).isLessThan(TIMEOUT_NS);
            reader.join();
        }
    }

    @Test
    void framesAllocateNothing() {
        QemuStreamDevice server = listen(path());
        NetDevice left = call(path(), NanoClock.SYSTEM);
        NetDevice right = server.netDevice();
        work(() -> left.isCarrierOk() && right.isCarrierOk());
        right.protocols().removeHandler(TYPE);
        right.protocols().addHandler(TYPE, SkBuff::free);
        byte[] payload = new byte[1000];
        assertThat(AllocatedBytes.inSteadyState(() -> {
                    for (int i = 0; i < 5000; i++) {
                        left.transmit(Frames.frame(pool, RIGHT, LEFT, TYPE, payload));
                        while (right.napi().poll(64) == 0) {
                            Thread.onSpinWait();
                        }
                    }
                }))
                .isZero();
    }

    @Test
    void wrongArgumentsAreRefused() throws IOException {
        NetDeviceSetup ip = new NetDeviceSetup("ip0", 2, 1500, 0, List.of(), Set.of());
        assertThatThrownBy(() -> QemuStreamDevice.listen(ip, path())).satisfies(e -> assertErrno(e, Errno.EINVAL));
        assertThatThrownBy(() -> QemuStreamDevice.connect(setup("a", LEFT), path(), -1, NanoClock.SYSTEM))
                .satisfies(e -> assertErrno(e, Errno.EINVAL));
        assertThatThrownBy(() -> QemuStreamDevice.connect(
                        setup("a", LEFT), InetSocketAddress.createUnresolved("x", 1), 1, NanoClock.SYSTEM))
                .satisfies(e -> assertErrno(e, Errno.EINVAL));
        Files.createFile(directory.resolve("net0"));
        assertThatThrownBy(() -> QemuStreamDevice.listen(setup("a", LEFT), path()))
                .satisfies(e -> assertErrno(e, Errno.EADDRINUSE));
        assertThat(directory.resolve("net0")).as("somebody else's file").exists();
        NetDevice caller = call(path(), NanoClock.SYSTEM);
        assertThat(caller.isCarrierOk()).isFalse();
    }

    private static void assertErrno(Throwable e, Errno errno) {
        assertThat(((RdmaException) e).errno()).isEqualTo(errno);
    }
}
