// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

/**
 * Memory in a file that client and server both map.
 *
 * @param file path of the file
 * @param offset offset of the first byte in the file
 * @param sizeBytes size in bytes, at least 1
 * @param readOnly true if the device must not write to it
 */
public record MemoryPiece(String file, long offset, long sizeBytes, boolean readOnly) {}
