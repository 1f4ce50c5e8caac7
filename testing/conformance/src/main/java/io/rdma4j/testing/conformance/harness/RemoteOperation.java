// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.harness;

import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.SendBatch;
import org.jspecify.annotations.Nullable;

/** The operations on memory of the peer in their basic form, for cases that apply to all of them. */
public enum RemoteOperation {
    WRITE(64, AccessFlag.REMOTE_WRITE, null),
    WRITE_WITH_IMMEDIATE(64, AccessFlag.REMOTE_WRITE, null),
    READ(64, AccessFlag.REMOTE_READ, null),
    COMPARE_SWAP(8, AccessFlag.REMOTE_ATOMIC, null),
    FETCH_ADD(8, AccessFlag.REMOTE_ATOMIC, null),
    ATOMIC_WRITE(8, AccessFlag.REMOTE_WRITE, DeviceCapability.ATOMIC_WRITE),
    FLUSH(64, AccessFlag.FLUSH_GLOBAL, DeviceCapability.FLUSH_GLOBAL);

    private final int bytes;
    private final AccessFlag right;
    private final @Nullable DeviceCapability capability;

    RemoteOperation(int bytes, AccessFlag right, @Nullable DeviceCapability capability) {
        this.bytes = bytes;
        this.right = right;
        this.capability = capability;
    }

    /** Number of bytes of the peer that it accesses. */
    public int bytes() {
        return bytes;
    }

    /** Right that the peer must grant. */
    public AccessFlag right() {
        return right;
    }

    /** Capability that the device must claim; null if every device has it. */
    @Nullable
    public DeviceCapability capability() {
        return capability;
    }

    /** Posts it, signalled, at {@code address} of the peer; it uses the first bytes of the local memory. */
    public void post(Endpoint from, long wrId, int rkey, long address) {
        SendBatch batch = from.qp.startSend().wrId(wrId).signaled();
        switch (this) {
            case WRITE -> addData(batch.rdmaWrite(rkey, address), from);
            case WRITE_WITH_IMMEDIATE -> addData(batch.rdmaWriteImm(rkey, address, 1), from);
            case READ -> addData(batch.rdmaRead(rkey, address), from);
            case COMPARE_SWAP -> addData(batch.atomicCompareSwap(rkey, address, 0, -1), from);
            case FETCH_ADD -> addData(batch.atomicFetchAdd(rkey, address, 1), from);
            case ATOMIC_WRITE -> batch.atomicWrite(rkey, address, -1);
            case FLUSH -> batch.flush(rkey, address, bytes, FlushType.GLOBAL.bit(), FlushLevel.RANGE);
        }
        batch.complete();
    }

    private void addData(SendBatch batch, Endpoint from) {
        batch.sge(from.mr.lkey(), from.mr.address(), bytes);
    }
}
