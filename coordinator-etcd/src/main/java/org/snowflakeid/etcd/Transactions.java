// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.ResponseOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.Stored;

/** What etcd's transactions consist of: comparisons, reads and writes, and what was read. */
final class Transactions {
    private static final int PAGE = 4_000;

    private Transactions() {}

    static TxnRequest transaction(List<Compare> compares, List<RequestOp> then, List<RequestOp> otherwise) {
        return TxnRequest.newBuilder()
                .addAllCompare(compares)
                .addAllSuccess(then)
                .addAllFailure(otherwise)
                .build();
    }

    /** The results of its reads, in their order. */
    static List<RangeResponse> ranges(TxnResponse response) {
        return response.getResponsesList().stream()
                .filter(ResponseOp::hasResponseRange)
                .map(ResponseOp::getResponseRange)
                .toList();
    }

    static Compare is(ByteString key, @Nullable Stored expected) {
        return expected == null
                ? absent(key)
                : compare(key, Compare.CompareTarget.VALUE)
                        .setValue(ByteString.copyFromUtf8(expected.value()))
                        .build();
    }

    static Compare absent(ByteString key) {
        return compare(key, Compare.CompareTarget.CREATE).setCreateRevision(0).build();
    }

    private static Compare.Builder compare(ByteString key, Compare.CompareTarget target) {
        return Compare.newBuilder()
                .setKey(key)
                .setResult(Compare.CompareResult.EQUAL)
                .setTarget(target);
    }

    static RequestOp get(ByteString key) {
        return range(RangeRequest.newBuilder().setKey(key));
    }

    static RequestOp page(String prefix, @Nullable ByteString after, long revision) {
        byte[] end = prefix.getBytes(StandardCharsets.UTF_8);
        // The first key that does not begin with the prefix, whose last character is a slash.
        end[end.length - 1]++;
        return range(RangeRequest.newBuilder()
                .setKey(
                        after == null
                                ? ByteString.copyFromUtf8(prefix)
                                : after.concat(ByteString.copyFrom(new byte[1])))
                .setRangeEnd(ByteString.copyFrom(end))
                .setLimit(PAGE)
                .setRevision(revision));
    }

    private static RequestOp range(RangeRequest.Builder request) {
        return RequestOp.newBuilder().setRequestRange(request).build();
    }

    /** @param lease 0 for none */
    static RequestOp put(ByteString key, String value, long lease) {
        return RequestOp.newBuilder()
                .setRequestPut(PutRequest.newBuilder()
                        .setKey(key)
                        .setValue(ByteString.copyFromUtf8(value))
                        .setLease(lease))
                .build();
    }

    static @Nullable String value(RangeResponse response) {
        return response.getKvsCount() == 0
                ? null
                : response.getKvs(0).getValue().toStringUtf8();
    }

    static @Nullable Stored stored(RangeResponse response) {
        String value = value(response);
        return value == null ? null : stored(value);
    }

    static Stored stored(String value) {
        return new Stored(value, 0);
    }
}
