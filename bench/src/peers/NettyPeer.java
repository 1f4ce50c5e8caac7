// SPDX-License-Identifier: Apache-2.0
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetAddress;

/** Ping-pong over Netty: TCP, epoll transport, event loops that never sleep. */
final class NettyPeer {
    private NettyPeer() {}

    /** {@code server|client tcp PORT BYTES COUNT}. */
    public static void main(String[] words) throws Exception {
        int port = Integer.parseInt(words[2]);
        int bytes = Integer.parseInt(words[3]);
        int count = Integer.parseInt(words[4]);
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, EpollIoHandler.newFactory(0, () -> (_, _) -> SelectStrategy.BUSY_WAIT));
        InetAddress here = InetAddress.getLoopbackAddress();
        if (words[0].equals("server")) {
            new ServerBootstrap()
                    .group(loop)
                    .channel(EpollServerSocketChannel.class)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childHandler(new Echo())
                    .bind(here, port)
                    .sync()
                    .channel()
                    .closeFuture()
                    .sync();
        } else {
            new Bootstrap()
                    .group(loop)
                    .channel(EpollSocketChannel.class)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .handler(new Pinger(bytes, count))
                    .connect(here, port)
                    .sync()
                    .channel()
                    .closeFuture()
                    .sync();
        }
        System.exit(0);
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    private static final class Pinger extends ChannelInboundHandlerAdapter {
        private final int bytes;
        private final Times times;
        private int round;
        private int missing;
        private long start;

        Pinger(int bytes, int count) {
            this.bytes = bytes;
            this.times = new Times(count);
            this.round = times.first();
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            ping(context);
        }

        private void ping(ChannelHandlerContext context) {
            start = System.nanoTime();
            missing = bytes;
            context.writeAndFlush(context.alloc().directBuffer(bytes).writeZero(bytes));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            missing -= buffer.readableBytes();
            buffer.release();
            if (missing > 0) {
                return;
            }
            times.add(round++, System.nanoTime() - start);
            if (round < times.count()) {
                ping(context);
            } else {
                times.print("netty_tcp", bytes);
                context.close();
            }
        }
    }
}
