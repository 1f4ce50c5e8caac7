// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkCompletionTest {
    private static WorkCompletion completion(WcStatus status, int vendorError, int byteLength, WcFlag... flags) {
        return new WorkCompletion(
                7, status, WcOpcode.RECV, vendorError, byteLength, 17, -1, 18, Set.of(flags), 0, 0, 0, 0, 1);
    }

    @Test
    void theTextSaysLengthsUnsigned() {
        assertThat(completion(WcStatus.SUCCESS, 0, 1 << 31))
                .hasToString("WorkCompletion[wrId=7, status=SUCCESS, qpNumber=17, opcode=RECV,"
                        + " byteLength=2147483648, flags=[]]");
        assertThat(completion(WcStatus.SUCCESS, 0, 1, WcFlag.WITH_IMM).toString())
                .contains("immediate=4294967295");
    }

    @ParameterizedTest
    @CsvSource({
        "RETRY_EXC_ERR, 0, no answer",
        "REM_ACCESS_ERR, 0x62, NAK remote access error",
        "RNR_RETRY_EXC_ERR, 0x2C, RNR NAK",
        "GENERAL_ERR, 1, of the device",
    })
    void theTextOfAnErrorSaysWhatIsValidOnly(WcStatus status, String vendorError, String detail) {
        int number = Integer.decode(vendorError);
        assertThat(completion(status, number, 5, WcFlag.GRH))
                .hasToString("WorkCompletion[wrId=7, status=" + status + ", qpNumber=17, vendorError=" + number + " ("
                        + detail + ")]");
    }
}
