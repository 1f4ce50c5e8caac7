package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.MemoryPiece;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.RecordCodec;
import io.rdma4j.verbs.FmrAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.SrqAttributes;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** Commands with arguments that often make sense, so that they get somewhere, and often do not. */
final class RandomMessage {
    private static final int HANDLES = 40;
    private static final List<Attribute> OF_HANDLES = List.of(
            Attribute.HANDLE,
            Attribute.PD,
            Attribute.SEND_CQ,
            Attribute.RECV_CQ,
            Attribute.SRQ,
            Attribute.XRCD,
            Attribute.DM);
    private static final List<Attribute> NUMBERS = List.of(
            Attribute.PORT,
            Attribute.INDEX,
            Attribute.ACCESS,
            Attribute.MW_TYPE,
            Attribute.MAX_PAGES,
            Attribute.LOG_ALIGNMENT,
            Attribute.DMA_DIRECTION,
            Attribute.DMA_ATTRIBUTES,
            Attribute.TO_DEVICE,
            Attribute.CQE,
            Attribute.COMP_VECTOR,
            Attribute.WC_FLAGS,
            Attribute.CQ_FLAGS,
            Attribute.COMPLETIONS,
            Attribute.CQ_COUNT,
            Attribute.CQ_PERIOD,
            Attribute.QP_TYPE,
            Attribute.QP_FLAGS,
            Attribute.QPN,
            Attribute.ETHER_TYPE,
            Attribute.SRQ_MASK,
            Attribute.OPEN_FLAGS,
            Attribute.QP_MASK,
            Attribute.QP_STATE);
    private static final List<Attribute> LONGS =
            List.of(Attribute.OFFSET, Attribute.SIZE, Attribute.IOVA, Attribute.SEND_OPERATIONS);

    private RandomMessage() {}

    /** @param file with 8192 bytes that the client may name */
    static Message of(Command command, Random random, Path file) {
        Message message = new Message(command);
        OF_HANDLES.forEach(attribute -> message.put(attribute, random.nextInt(HANDLES)));
        NUMBERS.forEach(attribute -> message.put(attribute, number(random)));
        LONGS.forEach(attribute -> message.putLong(attribute, number(random)));
        message.putRecord(
                Attribute.SRQ_ATTRIBUTES, new SrqAttributes(random.nextInt(64), random.nextInt(8), random.nextInt(32)));
        message.putRecord(
                Attribute.CAPABILITIES,
                new QpCapabilities(
                        random.nextInt(64),
                        random.nextInt(64),
                        random.nextInt(8),
                        random.nextInt(8),
                        number(random) & Integer.MAX_VALUE));
        message.putRecord(Attribute.FMR_ATTRIBUTES, new FmrAttributes(random.nextInt(8), random.nextInt(8), 12));
        MemoryPiece piece = new MemoryPiece(file.toString(), random.nextInt(2) * 4096L, 4096, random.nextBoolean());
        message.putBytes(Attribute.PIECES, RecordCodec.encodeList(List.of(piece)));
        message.putBytes(Attribute.DATA, new byte[random.nextInt(100)]);
        if (random.nextBoolean()) {
            message.putText(Attribute.FILE, file.toString());
        }
        return message;
    }

    private static int number(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt();
            case 1 -> random.nextInt(4);
            default -> random.nextInt(64);
        };
    }
}
