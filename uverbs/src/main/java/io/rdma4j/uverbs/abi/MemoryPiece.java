package io.rdma4j.uverbs.abi;

/**
 * Memory that client and server both map.
 *
 * @param file path of the file
 * @param offset of the first byte in it
 * @param sizeBytes at least 1
 * @param readOnly true if the device must not write it
 */
public record MemoryPiece(String file, long offset, long sizeBytes, boolean readOnly) {}
