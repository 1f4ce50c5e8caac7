// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links.qemu;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.socket.SocketWatch;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** Connects to the peer, and tries again after a delay if the attempt fails or the connection is lost. */
final class StreamDialer extends StreamSource {
    private final SocketAddress remote;
    private final long retryNs;
    private final NanoClock clock;
    private final SocketWatch watch;
    private @Nullable SocketChannel calling;
    private volatile boolean waiting;
    private volatile long dueNs;

    /**
     * @param retryNs minimum time between two attempts; 0: one attempt each time the device goes up
     * @throws RdmaException EINVAL for a name without address, or a negative time
     */
    StreamDialer(SocketAddress remote, long retryNs, NanoClock clock, SocketWatch watch) {
        if (remote instanceof InetSocketAddress address && address.isUnresolved()) {
            throw new RdmaException(Errno.EINVAL, remote + " stands for no address");
        }
        if (retryNs < 0) {
            throw new RdmaException(Errno.EINVAL, "a call every " + retryNs + " ns: that is less than 0");
        }
        this.remote = remote;
        this.retryNs = retryNs;
        this.clock = clock;
        this.watch = watch;
    }

    @Override
    void start() {
        dueNs = clock.nanoTime();
        waiting = true;
    }

    @Override
    void lost() {
        waiting = retryNs > 0;
    }

    @Override
    void stop() {
        waiting = false;
        giveUp();
    }

    private void giveUp() {
        SocketChannel channel = calling;
        calling = null;
        if (channel != null) {
            watch.close(channel);
        }
    }

    @Override
    @Nullable
    SocketChannel poll() {
        if (waiting && clock.nanoTime() - dueNs >= 0) {
            call();
        }
        SocketChannel channel = calling;
        if (channel == null) {
            return null;
        }
        try {
            if (!channel.finishConnect()) {
                return null;
            }
            calling = null;
            return channel;
        } catch (IOException e) {
            giveUp();
            lost();
            return null;
        }
    }

    private void call() {
        waiting = false;
        dueNs = clock.nanoTime() + retryNs;
        try {
            SocketChannel channel = remote instanceof UnixDomainSocketAddress
                    ? SocketChannel.open(StandardProtocolFamily.UNIX)
                    : SocketChannel.open();
            calling = channel;
            channel.configureBlocking(false);
            if (!channel.connect(remote)) {
                watch.add(channel, SelectionKey.OP_CONNECT);
            }
        } catch (IOException e) {
            giveUp();
            lost();
        }
    }

    @Override
    long untilDueNs() {
        return waiting ? dueNs - clock.nanoTime() : NEVER;
    }

    @Override
    void close() {
        stop();
    }
}
