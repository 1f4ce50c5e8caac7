// SPDX-License-Identifier: Apache-2.0
/** The example provider of {@code docs/provider.md}, and the test that runs it. */
package io.rdma4j.verbs.example;
