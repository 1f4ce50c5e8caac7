// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.peer;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WindowBinding;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.MemoryKeys;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WindowType;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** The rdma4j side of a verbs scenario: executes commands with the public API. One thread. */
@SuppressWarnings("NullAway.Init") // "open" is always the first command
final class OurPeer implements AutoCloseable {
    private static final int PORT = 1;
    private static final int QKEY = 0x11111111;
    private static final int DEPTH = 64;
    private static final int PAGE = 4096;
    private static final int RD_ATOMIC = 16;
    private static final int PSN_BITS = 24;
    private static final int NONE = -1;
    private static final long POLL_NS = Duration.ofNanos(200_000).toNanos();
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final Set<AccessFlag> CONNECTION = Set.of(
            AccessFlag.LOCAL_WRITE,
            AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ,
            AccessFlag.REMOTE_ATOMIC,
            AccessFlag.FLUSH_GLOBAL);

    private final Host host = Host.create("interop");
    private final String device;

    /** Keeps the port and its counters open between two queue pairs. */
    private final Context lasting;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final int psn = new Random().nextInt(1 << PSN_BITS);
    private QpType type;
    private Context context;
    private ProtectionDomain pd;
    private MemoryRegion region;
    private CompletionQueue cq;
    private QueuePair qp;
    private int gidIndex;
    private @Nullable AddressHandle path;
    private int remoteQpn;
    private int qkey;
    private @Nullable OurConnections connections;

    /** @param spec of the one device, in the form of {@link DeviceSpec} */
    OurPeer(String spec) {
        DeviceSpec parsed = DeviceSpec.parse(spec);
        host.register(new RxeProvider(List.of(parsed), RxeOptions.DEFAULT.withPrivilegedQkeys()));
        device = parsed.name();
        lasting = host.device(device).open();
    }

    /** Executes one command; returns its reply. */
    Map<String, ?> run(String command, CommandWords words) {
        return switch (command) {
            case "open" -> open(words);
            case "connect" -> connect(words);
            case "serve" -> connections().serve(words);
            case "receive" -> receive(words);
            case "post" -> post(words);
            case "poll" -> poll(words);
            case "window" -> window(words);
            case "region" -> region(words);
            case "fill" -> fill(words);
            case "set" -> set(words);
            case "get" -> Map.of("value", Long.toUnsignedString(memory().get(WORD, words.number("offset"))));
            case "crc" -> crc(words);
            case "counters" -> lasting.queryHwCounters(PORT);
            case "state" -> Map.of("state", qp.state().code());
            default -> connections().run(command, words);
        };
    }

    private Map<String, ?> open(CommandWords words) {
        closeOpened();
        type = QpType.valueOf(words.text("type"));
        Arena arena = keep(Arena.ofShared());
        context = keep(host.device(device).open());
        pd = keep(context.allocatePd());
        region = keep(pd.registerMemory(arena.allocate(words.number("bytes"), PAGE), access(words)));
        cq = keep(context.createCq(2 * DEPTH));
        qp = keep(pd.createQp(QpInitAttributes.builder(cq)
                .type(type)
                .capabilities(QpCapabilities.of(DEPTH, DEPTH))
                .build()));
        path = null;
        Gid gid = Gid.of(InetAddress.ofLiteral(words.text("address")));
        gidIndex = context.findGid(gid)
                .map(GidEntry::index)
                .orElseThrow(() -> new RdmaException(Errno.ENODATA, "no GID " + gid));
        return Map.of(
                "qpn",
                qp.qpn(),
                "psn",
                psn,
                "gid",
                gid,
                "rkey",
                Integer.toUnsignedString(region.rkey()),
                "address",
                region.iova());
    }

    private static Set<AccessFlag> access(CommandWords words) {
        return AccessFlag.ofMask(words.integer("access"));
    }

    private Map<String, ?> connect(CommandWords words) {
        AddressVector vector = AddressVector.roce(PORT, Gid.parse(words.text("gid")), gidIndex);
        QpAttributes.Builder init =
                QpAttributes.builder().state(QpState.INIT).pkeyIndex(0).port(PORT);
        QpAttributes.Builder rtr = QpAttributes.builder().state(QpState.RTR);
        QpAttributes.Builder rts = QpAttributes.builder().state(QpState.RTS).sqPsn(psn);
        if (type == QpType.UD) {
            int wanted = (int) words.numberOrZero("qkey");
            qkey = wanted == 0 ? QKEY : wanted;
            init.qkey(qkey);
            path = keep(pd.createAddressHandle(vector));
            remoteQpn = words.integer("qpn");
        } else {
            init.accessFlags(type == QpType.UC ? Set.of(AccessFlag.REMOTE_WRITE) : CONNECTION);
            rtr.addressVector(vector)
                    .pathMtu(Mtu.ofBytes(words.integer("mtu")))
                    .destinationQpn(words.integer("qpn"))
                    .rqPsn(words.integer("psn"));
        }
        if (type == QpType.RC) {
            rtr.maxDestRdAtomic(RD_ATOMIC).minRnrTimer(words.integer("rnr_timer"));
            rts.maxRdAtomic(RD_ATOMIC)
                    .timeout(words.integer("timeout"))
                    .retryCount(words.integer("retries"))
                    .rnrRetry(words.integer("rnr_retries"));
        }
        for (QpAttributes.Builder step : List.of(init, rtr, rts)) {
            qp.modify(step.build());
        }
        return Map.of();
    }

    private Map<String, ?> receive(CommandWords words) {
        qp.postReceive(
                ReceiveRequest.of(words.number("id"), region.sge(words.number("offset"), words.integer("length"))));
        return Map.of();
    }

    private Map<String, ?> post(CommandWords words) {
        SendRequest.Builder request = PostedRequest.of(words, memory());
        if (!words.text("op").equals("FLUSH") && !words.text("op").equals("ATOMIC_WRITE")) {
            request.sge(region.sge(words.numberOrZero("offset"), (int) words.numberOrZero("length")));
        }
        if (path != null) {
            request.destination(path, remoteQpn, qkey);
        }
        qp.postSend(request.wrId(words.number("id")).signaled().build());
        return Map.of();
    }

    private Map<String, ?> poll(CommandWords words) {
        long end = System.nanoTime() + Duration.ofMillis(words.number("ms")).toNanos();
        while (true) {
            for (WorkCompletion completion : cq.poll(1)) {
                return Map.of(
                        "status", completion.status().code(),
                        "id", completion.wrId(),
                        "bytes", Integer.toUnsignedString(completion.byteLength()),
                        "imm", Integer.toUnsignedString(completion.immediate()));
            }
            if (System.nanoTime() > end) {
                return Map.of("status", NONE);
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    private Map<String, ?> window(CommandWords words) {
        WindowType kind = words.integer("kind") == WindowType.TYPE_1.code() ? WindowType.TYPE_1 : WindowType.TYPE_2;
        MemoryWindow window = keep(pd.allocateWindow(kind));
        WindowBinding binding =
                WindowBinding.of(region, region.iova() + words.number("offset"), words.number("length"), access(words));
        int rkey;
        if (kind == WindowType.TYPE_1) {
            rkey = window.bind(qp, words.number("id"), Set.of(SendFlag.SIGNALED), binding);
        } else {
            rkey = MemoryKeys.next(window.rkey());
            qp.postSend(SendRequest.bindWindow(window, rkey, binding)
                    .wrId(words.number("id"))
                    .signaled()
                    .build());
        }
        return Map.of("rkey", Integer.toUnsignedString(rkey));
    }

    private Map<String, ?> region(CommandWords words) {
        MemorySegment part = memory().asSlice(words.number("offset"), words.number("length"));
        return Map.of(
                "rkey",
                Integer.toUnsignedString(
                        keep(pd.registerMemory(part, access(words))).rkey()));
    }

    private Map<String, ?> fill(CommandWords words) {
        Pattern251.fill(memory().asSlice(words.number("offset"), words.number("length")), words.integer("seed"));
        return Map.of();
    }

    private Map<String, ?> set(CommandWords words) {
        memory().set(WORD, words.number("offset"), words.number("value"));
        return Map.of();
    }

    private Map<String, ?> crc(CommandWords words) {
        CRC32 crc = new CRC32();
        crc.update(
                memory().asSlice(words.number("offset"), words.number("length")).asByteBuffer());
        return Map.of("crc", crc.getValue());
    }

    private OurConnections connections() {
        if (connections == null) {
            connections = new OurConnections(host);
        }
        return connections;
    }

    private MemorySegment memory() {
        return region.segment();
    }

    private <T extends AutoCloseable> T keep(T object) {
        opened.push(object);
        return object;
    }

    /** Closes in reverse order of creation. */
    private void closeOpened() {
        try {
            while (!opened.isEmpty()) {
                opened.pop().close();
            }
        } catch (Exception e) {
            throw new RdmaException(Errno.EIO, "cannot close: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        closeOpened();
        if (connections != null) {
            connections.close();
        }
        lasting.close();
        host.close();
    }
}
