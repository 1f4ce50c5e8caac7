// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.peer;

import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;

/** Parses the request of a command {@code post}. */
final class PostedRequest {
    private PostedRequest() {}

    /** @param memory source of the value of an ATOMIC WRITE */
    static SendRequest.Builder of(CommandWords words, MemorySegment memory) {
        int rkey = (int) words.numberOrZero("rkey");
        long remote = words.numberOrZero("remote");
        int immediate = (int) words.numberOrZero("imm");
        return switch (WrOpcode.valueOf(words.text("op"))) {
            case SEND -> SendRequest.send();
            case SEND_WITH_IMM -> SendRequest.sendWithImmediate(immediate);
            case SEND_WITH_INV -> SendRequest.sendWithInvalidate(rkey);
            case RDMA_WRITE -> SendRequest.rdmaWrite(rkey, remote);
            case RDMA_WRITE_WITH_IMM -> SendRequest.rdmaWriteWithImmediate(rkey, remote, immediate);
            case RDMA_READ -> SendRequest.rdmaRead(rkey, remote);
            case ATOMIC_CMP_AND_SWP ->
                SendRequest.atomicCompareSwap(rkey, remote, words.number("compare"), words.number("swap"));
            case ATOMIC_FETCH_AND_ADD -> SendRequest.atomicFetchAdd(rkey, remote, words.number("compare"));
            case ATOMIC_WRITE ->
                SendRequest.atomicWrite(
                        rkey, remote, memory.get(ValueLayout.JAVA_LONG_UNALIGNED, words.number("offset")));
            case FLUSH ->
                SendRequest.flush(rkey, remote, words.number("length"), Set.of(FlushType.GLOBAL), FlushLevel.RANGE);
            default -> throw new IllegalArgumentException(words.text("op"));
        };
    }
}
