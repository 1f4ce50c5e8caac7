// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.wr.CompletionField;
import io.rdma4j.verbs.wr.WcStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Numbers, texts and bits of completions. Some statuses belong to reliable datagrams, which no current device supports.
 * Other devices use the statuses of an aborted request, a response timeout and a general error; this library reports
 * more specific ones.
 */
class CompletionEnumsTest {
    @ParameterizedTest
    @CsvSource({
        "SUCCESS, 0, success",
        "LOC_LEN_ERR, 1, local length error",
        "LOC_QP_OP_ERR, 2, local QP operation error",
        "LOC_EEC_OP_ERR, 3, local EE context operation error",
        "LOC_PROT_ERR, 4, local protection error",
        "WR_FLUSH_ERR, 5, Work Request Flushed Error",
        "MW_BIND_ERR, 6, memory management operation error",
        "BAD_RESP_ERR, 7, bad response error",
        "LOC_ACCESS_ERR, 8, local access error",
        "REM_INV_REQ_ERR, 9, remote invalid request error",
        "REM_ACCESS_ERR, 10, remote access error",
        "REM_OP_ERR, 11, remote operation error",
        "RETRY_EXC_ERR, 12, transport retry counter exceeded",
        "RNR_RETRY_EXC_ERR, 13, RNR retry counter exceeded",
        "LOC_RDD_VIOL_ERR, 14, local RDD violation error",
        "REM_INV_RD_REQ_ERR, 15, remote invalid RD request",
        "REM_ABORT_ERR, 16, aborted error",
        "INV_EECN_ERR, 17, invalid EE context number",
        "INV_EEC_STATE_ERR, 18, invalid EE context state",
        "FATAL_ERR, 19, fatal error",
        "RESP_TIMEOUT_ERR, 20, response timeout error",
        "GENERAL_ERR, 21, general error",
        "TM_ERR, 22, TM error",
        "TM_RNDV_INCOMPLETE, 23, TM software rendezvous"
    })
    @Covers({"CQ-31", "CQ-42", "CQ-43", "CQ-44", "CQ-45"})
    void statusesHaveTheNumbersAndTextsOfC(WcStatus status, int code, String text) {
        assertThat(status.code()).isEqualTo(code);
        assertThat(WcStatus.ofCode(code)).isEqualTo(status);
        assertThat(status.text()).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 24})
    void anUnknownStatusIsRefused(int code) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> WcStatus.ofCode(code))
                .withMessageContaining(String.valueOf(code))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @ParameterizedTest
    @CsvSource({
        "BYTE_LEN, 1",
        "IMM, 2",
        "QP_NUM, 4",
        "SRC_QP, 8",
        "SLID, 16",
        "SL, 32",
        "DLID_PATH_BITS, 64",
        "COMPLETION_TIMESTAMP, 128",
        "CVLAN, 256",
        "FLOW_TAG, 512",
        "TM_INFO, 1024",
        "COMPLETION_TIMESTAMP_WALLCLOCK, 2048"
    })
    void fieldsHaveTheBitsOfC(CompletionField field, int bit) {
        assertThat(field.bit()).isEqualTo(bit);
        assertThat(CompletionField.STANDARD.contains(field)).isEqualTo(bit < 128);
    }

    @Test
    void flagsHaveTheBitsOfC() {
        assertThat(CqCreateFlag.SINGLE_THREADED.bit()).isEqualTo(1);
        assertThat(CqCreateFlag.IGNORE_OVERRUN.bit()).isEqualTo(2);
    }
}
