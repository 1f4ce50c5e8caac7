// SPDX-License-Identifier: Apache-2.0
import io.rdma4j.base.Gid;
import io.rdma4j.verbs.*;
import io.rdma4j.verbs.values.*;
import io.rdma4j.verbs.wr.*;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;

/**
 * Opens the device that another process serves, and sends one message to the queue pair whose number it reads from
 * standard input.
 */
class SendOnce {
    public static void main(String[] arguments) throws Exception {
        Path file = Files.createTempFile(Path.of(arguments[0]), "sender", "");
        try (Context context = Rdma.open("rxe0");
                ProtectionDomain pd = context.allocatePd();
                CompletionQueue cq = context.createCq(4);
                QueuePair qp = pd.createQp(QpInitAttributes.builder(cq).build());
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, 4096, Arena.global());
            memory.setString(0, "from process " + ProcessHandle.current().pid());
            try (MemoryRegion region = pd.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE))) {
                System.out.println(qp.qpn());
                connect(context, qp, Integer.parseInt(IO.readln()));
                qp.postSend(
                        SendRequest.send().sge(region.sge(0, 100)).signaled().build());
                List<WorkCompletion> done = cq.poll(1);
                while (done.isEmpty()) {
                    done = cq.poll(1);
                }
                System.out.println(done.getFirst().status());
            }
        }
    }

    private static void connect(Context context, QueuePair qp, int peer) {
        Gid gid = context.queryGid(1, 0);
        qp.connect(new QpAddress(gid, qp.qpn(), 1), new QpAddress(gid, peer, 1));
    }
}
