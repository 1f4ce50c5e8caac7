package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.SrqAttributes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client that keeps no rule: the server refuses what makes no sense, and other clients are not harmed. */
@ProvedOn("carrier:served")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class UntrustedClientTest {
    private static final int COMMANDS = 3000;
    private static final int ROUNDS = 200;

    /** The client does not wait for answers to doorbells, and there is one context for a session. */
    private static final Set<Command> WITHOUT_ANSWER = EnumSet.of(Command.POST_SEND, Command.GET_CONTEXT);

    @TempDir
    private Path folder;

    @TempDir
    private Path memory;

    private ServedDevice served;

    @BeforeEach
    void serve() {
        served = new ServedDevice(folder, UverbsServer.ABI_VERSION);
    }

    @AfterEach
    void close() {
        served.close();
    }

    private RawClient client() throws IOException {
        return new RawClient(served.server.entry());
    }

    private void awaitResources(int count) throws InterruptedException {
        long endNs = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (served.device.resources().size() != count && System.nanoTime() < endNs) {
            Thread.sleep(10);
        }
        assertThat(served.device.resources()).hasSize(count);
    }

    private static Message about(Command command, int handle) {
        return new Message(command).put(Attribute.HANDLE, handle);
    }

    private static Message createCq() {
        return new Message(Command.CREATE_CQ).put(Attribute.CQE, 16);
    }

    private static Message createSrq(int pd) {
        return new Message(Command.CREATE_SRQ)
                .put(Attribute.PD, pd)
                .putRecord(Attribute.SRQ_ATTRIBUTES, new SrqAttributes(15, 1, 0));
    }

    private static Message createQp(int pd, int cq, int srq) {
        return new Message(Command.CREATE_QP)
                .put(Attribute.PD, pd)
                .put(Attribute.QP_TYPE, QpType.RC.code())
                .put(Attribute.SEND_CQ, cq)
                .put(Attribute.RECV_CQ, cq)
                .put(Attribute.SRQ, srq)
                .putRecord(Attribute.CAPABILITIES, new QpCapabilities(15, 15, 1, 1, 64));
    }

    /** Handles are numbers of a session: those of others lead nowhere, though the objects are there. */
    @Test
    @Covers("UVERBS-40")
    void anotherSessionsHandlesAreRefused() throws IOException {
        try (RawClient owner = client();
                RawClient other = client()) {
            int pd = owner.make(new Message(Command.ALLOC_PD));
            int cq = owner.make(createCq());
            int srq = owner.make(createSrq(pd));
            int qp = owner.make(createQp(pd, cq, srq));
            for (Message command : List.of(
                    about(Command.DEALLOC_PD, pd),
                    about(Command.DESTROY_CQ, cq),
                    about(Command.DESTROY_SRQ, srq),
                    about(Command.DESTROY_QP, qp),
                    about(Command.QUERY_QP, qp),
                    about(Command.QUERY_SRQ, srq),
                    about(Command.REQ_NOTIFY_CQ, cq),
                    createSrq(pd),
                    createQp(pd, cq, 0))) {
                assertThat(other.answer(command).refusal())
                        .as(command.command().name())
                        .isEqualTo(Errno.EINVAL);
            }
            assertThat(owner.answer(about(Command.QUERY_QP, qp)).refusal()).isNull();
            assertThat(served.device.resources()).hasSize(6);
        }
    }

    @Test
    @Covers("UVERBS-49")
    void aHandleOfAnotherKindIsRefused() throws IOException {
        try (RawClient client = client()) {
            int pd = client.make(new Message(Command.ALLOC_PD));
            int cq = client.make(createCq());
            for (Command command : Command.values()) {
                boolean destroys = command.name().startsWith("DE")
                                && command != Command.DETACH_MCAST
                                && command != Command.DELETE_LINK
                        || command == Command.FREE_DM
                        || command == Command.CLOSE_XRCD;
                if (destroys && command != Command.DEALLOC_PD) {
                    assertThat(client.answer(about(command, pd)).refusal())
                            .as(command.name())
                            .isEqualTo(Errno.EINVAL);
                }
            }
            assertThat(client.answer(createSrq(cq)).refusal()).isEqualTo(Errno.EINVAL);
            assertThat(client.answer(createQp(pd, pd, 0)).refusal()).isEqualTo(Errno.EINVAL);
            assertThat(client.answer(createQp(pd, cq, cq)).refusal()).isEqualTo(Errno.EINVAL);
            assertThat(client.answer(about(Command.DEALLOC_PD, pd)).refusal()).isNull();
        }
    }

    @Test
    @Covers("UVERBS-48")
    void sizesOffsetsAndCountsOutOfRangeAreRefused() throws IOException {
        try (RawClient client = client()) {
            int pd = client.make(new Message(Command.ALLOC_PD));
            int dm = client.make(new Message(Command.ALLOC_DM).putLong(Attribute.SIZE, 64));
            Path file = Files.write(client.folder.resolve("file"), new byte[4096]);
            for (long value : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 40, 4097}) {
                Message region =
                        new Message(Command.REG_MR).put(Attribute.PD, pd).putText(Attribute.FILE, file.toString());
                assertRefused(client, region.putLong(Attribute.SIZE, value), Errno.EFAULT);
                assertRefused(
                        client, region.putLong(Attribute.SIZE, 4096).putLong(Attribute.OFFSET, value), Errno.EFAULT);
                assertRefused(client, about(Command.READ_DM, dm).putLong(Attribute.SIZE, value), Errno.EINVAL);
                assertRefused(
                        client,
                        about(Command.WRITE_DM, dm)
                                .putLong(Attribute.OFFSET, value)
                                .putBytes(Attribute.DATA, new byte[1]),
                        Errno.EINVAL);
            }
            for (int value : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                assertRefused(client, new Message(Command.CREATE_CQ).put(Attribute.CQE, value), Errno.EINVAL);
                assertRefused(
                        client,
                        new Message(Command.ALLOC_FAST_MR).put(Attribute.PD, pd).put(Attribute.MAX_PAGES, value),
                        Errno.EINVAL);
            }
            Message pieces = new Message(Command.REG_MR).put(Attribute.PD, pd);
            byte[] hugeCount = ByteBuffer.allocate(8).putInt(Integer.MAX_VALUE).array();
            assertRefused(client, pieces.putBytes(Attribute.PIECES, hugeCount), Errno.EINVAL);
            assertRefused(client, pieces.putBytes(Attribute.PIECES, new byte[4]), Errno.EINVAL);
            assertRefused(
                    client,
                    new Message(Command.REG_MR).put(Attribute.PD, pd).putText(Attribute.FILE, "a\0b"),
                    Errno.EFAULT);
        }
    }

    private static void assertRefused(RawClient client, Message command, Errno errno) throws IOException {
        assertThat(client.answer(command).refusal())
                .as(command.command() + " is refused")
                .isEqualTo(errno);
    }

    /** Commands of all kinds with values that may or may not make sense. */
    @Test
    void randomCommandsHarmNobodyElse() throws Exception {
        long seed = System.nanoTime();
        System.out.println("UntrustedClientTest.randomCommandsHarmNobodyElse: seed " + seed);
        Random random = new Random(seed);
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            station.connect();
            int before = served.device.resources().size();
            try (RawClient client = client()) {
                Path file = Files.write(client.folder.resolve("file"), new byte[8192]);
                Command[] commands = Command.values();
                int accepted = 0;
                for (int i = 0; i < COMMANDS; i++) {
                    Command command = commands[random.nextInt(commands.length)];
                    if (!WITHOUT_ANSWER.contains(command)) {
                        Frame answer = client.answer(RandomMessage.of(command, random, file));
                        assertThat(answer.refusal()).as("seed " + seed).isNotEqualTo(Errno.EIO);
                        accepted += answer.refusal() == null ? 1 : 0;
                    }
                }
                assertThat(accepted).as("commands that get somewhere").isGreaterThan(COMMANDS / 20);
            }
            awaitResources(before);
            station.post();
            station.checkArrived();
        }
    }

    /** The queues lie in memory of both: indexes and requests may be anything, at any time. */
    @Test
    void garbageInTheQueuesHarmsNobodyElse() throws Exception {
        long seed = System.nanoTime();
        System.out.println("UntrustedClientTest.garbageInTheQueuesHarmsNobodyElse: seed " + seed);
        Random random = new Random(seed);
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            station.connect();
            int before = served.device.resources().size();
            Set<Path> ofOthers = Set.copyOf(queues());
            try (Station victim = new Station(served.near.open("rxe0"), memory);
                    RawClient bell = client()) {
                victim.connect();
                List<Path> files = queues();
                files.removeAll(ofOthers);
                int pd = bell.make(new Message(Command.ALLOC_PD));
                int cq = bell.make(createCq());
                Message srq = bell.call(createSrq(pd));
                Message qp = bell.call(createQp(pd, cq, srq.get(Attribute.HANDLE)));
                assertThat(files).isNotEmpty();
                Path shared = Path.of(srq.getText(Attribute.FILE));
                for (int round = 0; round < ROUNDS; round++) {
                    scribble(files.get(random.nextInt(files.size())), random);
                    scribble(shared, random);
                    bell.answer(about(Command.QUERY_SRQ, srq.get(Attribute.HANDLE)));
                    bell.answer(about(Command.QUERY_QP, qp.get(Attribute.HANDLE)));
                    Frame resized = bell.answer(about(Command.MODIFY_SRQ, srq.get(Attribute.HANDLE))
                            .put(Attribute.SRQ_MASK, 1)
                            .putRecord(Attribute.SRQ_ATTRIBUTES, new SrqAttributes(1 + random.nextInt(31), 0, 0)));
                    if (resized.refusal() == null) {
                        shared = Path.of(resized.message().getText(Attribute.FILE));
                    }
                    victim.qp.startSend().complete();
                }
            }
            awaitResources(before);
            station.post();
            station.checkArrived();
        }
    }

    /** The files of all queues that the server has made. */
    private List<Path> queues() throws IOException {
        Path shared = Files.readSymbolicLink(served.server.entry().resolve("memory"));
        try (Stream<Path> all = Files.walk(shared)) {
            return new ArrayList<>(
                    all.filter(path -> path.getFileName().toString().startsWith("queue"))
                            .toList());
        }
    }

    private static void scribble(Path queue, Random random) throws IOException {
        try (FileChannel channel = FileChannel.open(queue, StandardOpenOption.WRITE)) {
            byte[] bytes = new byte[(int) channel.size()];
            random.nextBytes(bytes);
            channel.write(ByteBuffer.wrap(bytes), 0);
        }
    }
}
