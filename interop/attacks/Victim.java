// SPDX-License-Identifier: Apache-2.0
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
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
import java.util.List;
import java.util.Set;

/** A client of a served device with two connected queue pairs, to which something happens. */
public class Victim {
    private static final int PAGE = 4096;

    private final Context context = Rdma.open("rxe0");
    private final ProtectionDomain pd = context.allocatePd();
    private final CompletionQueue cq = context.createCq(1000);
    private final QueuePair one = pd.createQp(QpInitAttributes.builder(cq).build());
    private final QueuePair other = pd.createQp(QpInitAttributes.builder(cq).build());
    private final MemorySegment target = context.allocateBuffer(1 << 18, PAGE, Arena.global());
    private final MemorySegment source = context.allocateBuffer(PAGE, PAGE, Arena.global());
    private final MemoryRegion targetRegion =
            pd.registerMemory(target, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
    private final MemoryRegion sourceRegion = pd.registerMemory(source, Set.of(AccessFlag.LOCAL_WRITE));

    public static void main(String[] arguments) throws Exception {
        Victim victim = new Victim();
        QpAddress near = QpAddress.of(victim.one);
        QpAddress far = QpAddress.of(victim.other);
        victim.one.connect(near, far);
        victim.other.connect(far, near);
        System.out.println("ready");
        switch (arguments[0]) {
            case "interrupted" -> victim.interrupted();
            case "truncate" -> victim.truncate();
            case "full" -> victim.full();
            default -> System.in.read();
        }
        Runtime.getRuntime().halt(0);
    }

    private void interrupted() {
        Thread.currentThread().interrupt();
        one.postReceive(ReceiveRequest.of(1, targetRegion.sge(0, 64)));
        context.createCq(4).close();
        System.out.println("flag: " + Thread.interrupted());
        check("after");
    }

    private void truncate() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
            if (Long.parseUnsignedLong(line.substring(0, line.indexOf('-')), 16) == target.address()) {
                Path file = Path.of(line.substring(line.indexOf('/')));
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(0);
                }
            }
        }
        check("during");
        Thread verb = Thread.ofPlatform().daemon().start(() -> {
            try {
                context.queryPort(1);
                System.out.println("ended: fine");
            } catch (RdmaException e) {
                System.out.println("ended: " + e.errno());
            }
        });
        try {
            verb.join(Duration.ofSeconds(20));
        } catch (InterruptedException e) {
            System.out.println("interrupted");
        }
        System.out.println(verb.isAlive() ? "a verb hangs" : "the verb has returned");
    }

    private void full() throws IOException {
        Path filler = Path.of("/dev/shm/filler");
        try (var out = Files.newOutputStream(filler)) {
            byte[] block = new byte[PAGE];
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            System.out.println("/dev/shm is full");
        }
        try {
            context.allocateBuffer(1 << 20, PAGE, Arena.global());
            System.out.println("full: memory was promised");
        } catch (RdmaException e) {
            System.out.println("full: " + e.errno());
        }
        try {
            context.createCq(500);
            System.out.println("full: a queue was promised");
        } catch (RdmaException e) {
            System.out.println(e.errno() == Errno.ENOMEM ? "full: ENOMEM" : "full: " + e);
        }
        for (int i = 0; i < 900; i++) {
            check(i < 899 ? "round" : "after");
        }
        Files.delete(filler);
    }

    /** A WRITE to every page in turn. */
    private int rounds;

    private void check(String when) {
        long offset = (long) PAGE * (rounds++ % 64);
        try {
            one.postSend(SendRequest.rdmaWrite(targetRegion.rkey(), targetRegion.iova() + offset)
                    .sge(sourceRegion.sge(0, 64))
                    .signaled()
                    .build());
            List<WorkCompletion> done = cq.poll(1, Duration.ofSeconds(10));
            boolean fine = done.size() == 1 && done.getFirst().status() == WcStatus.SUCCESS;
            System.out.println(when + ": " + (fine ? "fine" : done.toString()));
        } catch (RdmaException e) {
            System.out.println(when + ": " + e);
        }
    }
}
