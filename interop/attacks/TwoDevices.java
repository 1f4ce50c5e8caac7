// SPDX-License-Identifier: Apache-2.0
import io.rdma4j.base.RdmaException;
import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A sender and an owner of memory, each with a device of its own in this process. The last line of output is the
 * verdict.
 */
public class TwoDevices {
    private static final Set<AccessFlag> LOCAL = Set.of(AccessFlag.LOCAL_WRITE);
    private static final Set<AccessFlag> REMOTE = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int DEPTH = 64;
    private static final long GIB = 1L << 30;

    /** One end: a device, and the objects of one connection at a time. */
    private static final class End {
        final Context context;
        final ProtectionDomain pd;
        final CompletionQueue cq;
        QueuePair qp;

        End(int number, boolean sharedMemory) {
            Host host = Host.create("h" + number);
            DeviceSpec spec = DeviceSpec.parse("rxe0=udp:127." + number + "." + System.getenv("DEVICE"));
            host.register(new RxeProvider(List.of(spec), RxeOptions.DEFAULT.withSharedMemory(sharedMemory)));
            context = host.open("rxe0");
            pd = context.allocatePd();
            cq = context.createCq(4 * DEPTH);
            makeQp();
        }

        void makeQp() {
            qp = pd.createQp(QpInitAttributes.builder(cq)
                    .capabilities(new QpCapabilities(DEPTH, DEPTH, 2, 1, 0))
                    .build());
        }

        WorkCompletion await() {
            List<WorkCompletion> done = cq.poll(1, TIMEOUT);
            if (done.isEmpty()) {
                throw new IllegalStateException("no completion within " + TIMEOUT);
            }
            return done.getFirst();
        }

        WcStatus write(MemoryRegion from, MemoryRegion to, long offset, int bytes) {
            qp.postSend(SendRequest.rdmaWrite(to.rkey(), to.iova() + offset)
                    .sge(from.sge(0, bytes))
                    .signaled()
                    .build());
            return await().status();
        }
    }

    private final End sender;
    private final End owner;

    private TwoDevices(boolean sharedMemory) {
        sender = new End(1, sharedMemory);
        owner = new End(2, sharedMemory);
    }

    private void connect() {
        QpAddress near = QpAddress.of(sender.qp);
        QpAddress far = QpAddress.of(owner.qp);
        sender.qp.connect(near, far);
        owner.qp.connect(far, near);
    }

    public static void main(String[] arguments) throws Exception {
        try {
            String verdict = switch (arguments[0]) {
                case "disk" -> new TwoDevices(false).fullDisk(Path.of(arguments[1]), arguments[2]);
                case "keys" -> new TwoDevices(false).keys();
                case "cycles" -> new TwoDevices(true).cycles();
                case "big" -> new TwoDevices(true).bigMessage();
                case "many" -> new TwoDevices("on".equals(arguments[1])).manyMessages();
                default -> peer(arguments[0]);
            };
            System.err.println(verdict);
        } catch (RdmaException | IllegalStateException e) {
            System.err.println("fault: " + e);
        }
        Runtime.getRuntime().halt(0);
    }

    /** WRITEs into a sparse mapped file until the disk is full; then a new connection. */
    private String fullDisk(Path file, String how) throws IOException {
        boolean polls = "poll".equals(how);
        connect();
        MemoryRegion source = sender.pd.allocateMemory(1 << 16, LOCAL);
        MemoryRegion fine = owner.pd.allocateMemory(1 << 16, REMOTE);
        MemoryRegion target;
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 4 << 20, Arena.global());
            target = owner.pd.registerMemory(
                    mapped, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.ON_DEMAND));
        }
        Thread poller = Thread.ofPlatform().daemon().unstarted(() -> {
            while (polls) {
                owner.cq.poll(1);
            }
        });
        List<Throwable> thrown = new ArrayList<>();
        poller.setUncaughtExceptionHandler((thread, e) -> thrown.add(e));
        poller.start();
        WcStatus status = WcStatus.SUCCESS;
        for (long at = 0; at < 4 << 20 && status == WcStatus.SUCCESS; at += 1 << 16) {
            status = sender.write(source, target, at, 1 << 16);
        }
        if (status == WcStatus.SUCCESS) {
            return "fault: the disk did not fill up";
        }
        sender.makeQp();
        owner.makeQp();
        connect();
        WcStatus after = sender.write(source, fine, 0, 1 << 16);
        if (!thrown.isEmpty()) {
            return "fault: thrown into the owner's poll: " + thrown;
        }
        return after == WcStatus.SUCCESS ? "fine: " + status : "fault: a new connection gets " + after;
    }

    /** A peer knows three keys in a row, and that a key might be two multiplications of an index or a sum. */
    private String keys() {
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            keys.add(owner.pd.allocateMemory(4096, REMOTE).rkey() >>> 8);
        }
        int[] key = keys.stream().mapToInt(Integer::intValue).toArray();
        int mask = (1 << 24) - 1;
        if ((2 * key[2] - key[1] & mask) == key[3]) {
            return "fault: the difference of two keys tells the next";
        }
        int candidates = 0;
        for (int inverse = 1; inverse <= mask; inverse += 2) {
            int second = half(half(key[1]) * inverse & mask);
            int third = half(half(key[2]) * inverse & mask);
            int step = third - second & mask;
            if ((second - half(half(key[0]) * inverse & mask) & mask) == step) {
                candidates++;
                if (half(half(key[3]) * inverse & mask) == (third + step & mask)) {
                    return "fault: the multiplier's inverse " + inverse + " tells the next key";
                }
            }
        }
        return "fine: " + candidates + " candidates";
    }

    /** Mixes the upper half of 24 bits into the lower one; its own inverse. */
    private static int half(int bits) {
        return bits ^ bits >>> 12;
    }

    private String cycles() throws Exception {
        long[] before = {};
        int rounds = 0;
        long end = System.nanoTime() + Duration.ofSeconds(35).toNanos();
        for (; rounds < 1400 && System.nanoTime() < end; rounds++) {
            if (rounds == 400) {
                before = held();
            }
            cycle();
        }
        if (rounds < 1000) {
            return "fault: only " + rounds + " cycles in 35 s";
        }
        long[] after = held();
        String[] names = {"files", "mappings", "threads", "files in shared memory", "KiB of heap", "KiB resident"};
        // Memory goes up and down by some MiB; a buffer that stays would be 64 KiB a cycle.
        long[] slack = {2, 16, 1, 2, 8 << 10, 32 << 10};
        for (int i = 0; i < names.length; i++) {
            if (after[i] > before[i] + slack[i]) {
                return "fault: " + before[i] + " " + names[i] + " before, " + after[i] + " after " + (rounds - 400)
                        + " cycles";
            }
        }
        return "fine: " + rounds + " cycles";
    }

    private void cycle() {
        sender.qp.close();
        owner.qp.close();
        sender.makeQp();
        owner.makeQp();
        connect();
        try (Arena arena = Arena.ofShared();
                MemoryRegion source =
                        sender.pd.registerMemory(sender.context.allocateBuffer(1 << 16, 4096, arena), LOCAL);
                MemoryRegion target =
                        owner.pd.registerMemory(owner.context.allocateBuffer(1 << 16, 4096, arena), REMOTE)) {
            WcStatus status = sender.write(source, target, 0, 1 << 16);
            if (status != WcStatus.SUCCESS) {
                throw new IllegalStateException("a WRITE ends with " + status);
            }
        }
    }

    /** What this process holds. */
    private static long[] held() throws Exception {
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(100);
        }
        List<String> maps = Files.readAllLines(Path.of("/proc/self/maps"));
        Runtime runtime = Runtime.getRuntime();
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return new long[] {
                files.count(),
                maps.size(),
                Thread.getAllStackTraces().size(),
                maps.stream().filter(line -> line.contains("/dev/shm/rdma4j")).count(),
                runtime.totalMemory() - runtime.freeMemory() >> 10,
                residentKib()
            };
        }
    }

    private static long residentKib() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("no VmRSS");
    }

    /** Two times the same GiB; the completion of the receive has the length, as an unsigned number. */
    private String bigMessage() {
        connect();
        MemorySegment from = Arena.ofShared().allocate(GIB, 4096);
        MemorySegment to = Arena.ofShared().allocate(2 * GIB, 4096);
        from.setString(GIB - 64, "the end");
        MemoryRegion source = sender.pd.registerMemory(from, LOCAL);
        MemoryRegion target = owner.pd.registerMemory(to, REMOTE);
        owner.qp.postReceive(ReceiveRequest.of(1));
        sender.qp.postSend(SendRequest.rdmaWriteWithImmediate(target.rkey(), target.iova(), 7)
                .sge(source.sge(0, (int) GIB))
                .sge(source.sge(0, (int) GIB))
                .signaled()
                .build());
        WorkCompletion received = null;
        WorkCompletion sent = null;
        long end = System.nanoTime() + Duration.ofSeconds(45).toNanos();
        while ((received == null || sent == null) && System.nanoTime() < end) {
            received = owner.cq.poll(1).stream().findAny().orElse(received);
            sent = sender.cq.poll(1).stream().findAny().orElse(sent);
        }
        boolean fine = sent != null
                && sent.status() == WcStatus.SUCCESS
                && received != null
                && Integer.toUnsignedLong(received.byteLength()) == 2 * GIB
                && received.toString().contains("byteLength=" + 2 * GIB)
                && "the end".equals(to.getString(GIB - 64))
                && "the end".equals(to.getString(2 * GIB - 64));
        return (fine ? "fine: " : "fault: " + sent + " ") + received;
    }

    private String manyMessages() throws Exception {
        connect();
        MemoryRegion source = sender.pd.allocateMemory(4096, LOCAL);
        MemoryRegion target = owner.pd.allocateMemory(4096, LOCAL);
        ReceiveRequest receive = ReceiveRequest.of(0, target.sge(0, 64));
        SendRequest send = SendRequest.send().sge(source.sge(0, 64)).signaled().build();
        for (int i = 0; i < DEPTH; i++) {
            owner.qp.postReceive(receive);
        }
        int sent = 0;
        int done = 0;
        int got = 0;
        long[] before = {};
        long start = System.nanoTime();
        long seconds = 0;
        while (got < 10_000_000 && seconds < 16) {
            if (sent - done < DEPTH / 2 && sent - got < DEPTH / 2) {
                sender.qp.postSend(send);
                sent++;
            } else {
                done += successes(sender.cq);
                int arrived = successes(owner.cq);
                for (int i = 0; i < arrived; i++) {
                    owner.qp.postReceive(receive);
                }
                got += arrived;
            }
            if ((sent & 0xFFF) == 0) {
                seconds = (System.nanoTime() - start) / 1_000_000_000;
                if (before.length == 0 && (seconds >= 5 || sent > 2_000_000)) {
                    before = held();
                }
            }
        }
        long[] after = held();
        for (int i = 0; i < after.length; i++) {
            if (before.length == 0 || after[i] > before[i] + (i < 4 ? 2 : 8 << 10)) {
                return "fault: " + got + " messages, " + List.of(before[4], after[4]) + " KiB of heap, "
                        + List.of(before[5], after[5]) + " KiB resident";
            }
        }
        return "fine: " + got + " messages";
    }

    private static int successes(CompletionQueue cq) {
        List<WorkCompletion> done = cq.poll(16);
        for (WorkCompletion completion : done) {
            if (completion.status() != WcStatus.SUCCESS) {
                throw new IllegalStateException(completion.toString());
            }
        }
        return done.size();
    }

    /**
     * One process of two that exchange their addresses through standard input and output, and use what connect() sets.
     */
    private static String peer(String role) throws Exception {
        boolean sends = "send".equals(role);
        End end = new End(sends ? 1 : 2, true);
        QpAddress own = QpAddress.of(end.qp);
        MemoryRegion memory = end.pd.allocateMemory(4096, LOCAL);
        System.out.write(own.toBytes());
        System.out.flush();
        end.qp.connect(own, QpAddress.ofBytes(System.in.readNBytes(QpAddress.BYTES)));
        for (int i = 0; i < DEPTH; i++) {
            end.qp.postReceive(ReceiveRequest.of(i, memory.sge(0, 64)));
        }
        System.err.println("connected");
        long stop = System.nanoTime() + Duration.ofSeconds(sends ? 10 : 40).toNanos();
        long messages = 0;
        long longest = 0;
        for (long now = System.nanoTime(); now < stop; now = System.nanoTime()) {
            if (sends) {
                end.qp.postSend(
                        SendRequest.send().sge(memory.sge(0, 64)).signaled().build());
            }
            WorkCompletion completion = end.await();
            longest = Math.max(longest, System.nanoTime() - now);
            if (completion.status() != WcStatus.SUCCESS) {
                return "fault: " + completion;
            }
            messages++;
            if (!sends) {
                end.qp.postReceive(ReceiveRequest.of(messages, memory.sge(0, 64)));
            }
        }
        return "fine: " + messages + " messages, the longest took " + longest / 1_000_000 + " ms";
    }
}
