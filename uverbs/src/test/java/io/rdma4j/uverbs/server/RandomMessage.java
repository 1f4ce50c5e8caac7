// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.MemoryPiece;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.RecordCodec;
import io.rdma4j.verbs.values.FmrAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.SrqAttributes;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** Creates commands with random arguments, valid often enough that some commands succeed. */
final class RandomMessage {
    private static final int HANDLES = 40;
    private static final List<CommandAttribute> OF_HANDLES = List.of(
            CommandAttribute.HANDLE,
            CommandAttribute.PD,
            CommandAttribute.SEND_CQ,
            CommandAttribute.RECV_CQ,
            CommandAttribute.SRQ,
            CommandAttribute.XRCD,
            CommandAttribute.DM);
    private static final List<CommandAttribute> NUMBERS = List.of(
            CommandAttribute.PORT,
            CommandAttribute.INDEX,
            CommandAttribute.ACCESS,
            CommandAttribute.MW_TYPE,
            CommandAttribute.MAX_PAGES,
            CommandAttribute.LOG_ALIGNMENT,
            CommandAttribute.DMA_DIRECTION,
            CommandAttribute.DMA_ATTRIBUTES,
            CommandAttribute.TO_DEVICE,
            CommandAttribute.CQE,
            CommandAttribute.COMP_VECTOR,
            CommandAttribute.WC_FLAGS,
            CommandAttribute.CQ_FLAGS,
            CommandAttribute.COMPLETIONS,
            CommandAttribute.CQ_COUNT,
            CommandAttribute.CQ_PERIOD,
            CommandAttribute.QP_TYPE,
            CommandAttribute.QP_FLAGS,
            CommandAttribute.QPN,
            CommandAttribute.ETHER_TYPE,
            CommandAttribute.SRQ_MASK,
            CommandAttribute.OPEN_FLAGS,
            CommandAttribute.QP_MASK,
            CommandAttribute.QP_STATE);
    private static final List<CommandAttribute> LONGS = List.of(
            CommandAttribute.OFFSET,
            CommandAttribute.SIZE,
            CommandAttribute.IOVA,
            CommandAttribute.SEND_OPERATIONS,
            CommandAttribute.SERVICE_ID,
            CommandAttribute.SERVICE_MASK);

    private RandomMessage() {}

    /** @param file file of 8192 bytes that the client may name */
    static Message of(CommandType command, Random random, Path file) {
        Message message = new Message(command);
        OF_HANDLES.forEach(attribute -> message.put(attribute, random.nextInt(HANDLES)));
        NUMBERS.forEach(attribute -> message.put(attribute, number(random)));
        LONGS.forEach(attribute -> message.putLong(attribute, number(random)));
        message.putRecord(
                CommandAttribute.SRQ_ATTRIBUTES,
                new SrqAttributes(random.nextInt(64), random.nextInt(8), random.nextInt(32)));
        message.putRecord(
                CommandAttribute.CAPABILITIES,
                new QpCapabilities(
                        random.nextInt(64),
                        random.nextInt(64),
                        random.nextInt(8),
                        random.nextInt(8),
                        number(random) & Integer.MAX_VALUE));
        message.putRecord(CommandAttribute.FMR_ATTRIBUTES, new FmrAttributes(random.nextInt(8), random.nextInt(8), 12));
        MemoryPiece piece = new MemoryPiece(file.toString(), random.nextInt(2) * 4096L, 4096, random.nextBoolean());
        message.putBytes(CommandAttribute.PIECES, RecordCodec.encodeList(List.of(piece)));
        message.putBytes(CommandAttribute.DATA, new byte[random.nextInt(100)]);
        message.putBytes(CommandAttribute.GID, new byte[random.nextInt(8) == 0 ? 15 : 16]);
        if (random.nextBoolean()) {
            message.putText(CommandAttribute.FILE, file.toString());
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
