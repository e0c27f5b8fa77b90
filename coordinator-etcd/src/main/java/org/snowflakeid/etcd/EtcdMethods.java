// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import com.google.protobuf.MessageLite;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.AuthenticateResponse;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.LeaseRevokeResponse;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.protobuf.lite.ProtoLiteUtils;

/** What is asked of etcd. Generated stubs have these methods too, and need three jars more. */
final class EtcdMethods {
    static final MethodDescriptor<TxnRequest, TxnResponse> TXN =
            call("KV/Txn", TxnRequest.getDefaultInstance(), TxnResponse.getDefaultInstance());
    static final MethodDescriptor<LeaseGrantRequest, LeaseGrantResponse> GRANT =
            call("Lease/LeaseGrant", LeaseGrantRequest.getDefaultInstance(), LeaseGrantResponse.getDefaultInstance());
    static final MethodDescriptor<LeaseRevokeRequest, LeaseRevokeResponse> REVOKE = call(
            "Lease/LeaseRevoke", LeaseRevokeRequest.getDefaultInstance(), LeaseRevokeResponse.getDefaultInstance());
    static final MethodDescriptor<AuthenticateRequest, AuthenticateResponse> AUTHENTICATE = call(
            "Auth/Authenticate", AuthenticateRequest.getDefaultInstance(), AuthenticateResponse.getDefaultInstance());
    static final MethodDescriptor<StatusRequest, StatusResponse> STATUS =
            call("Maintenance/Status", StatusRequest.getDefaultInstance(), StatusResponse.getDefaultInstance());
    static final MethodDescriptor<LeaseKeepAliveRequest, LeaseKeepAliveResponse> KEEP_ALIVE = method(
            MethodType.BIDI_STREAMING,
            "Lease/LeaseKeepAlive",
            LeaseKeepAliveRequest.getDefaultInstance(),
            LeaseKeepAliveResponse.getDefaultInstance());
    static final MethodDescriptor<WatchRequest, WatchResponse> WATCH = method(
            MethodType.BIDI_STREAMING,
            "Watch/Watch",
            WatchRequest.getDefaultInstance(),
            WatchResponse.getDefaultInstance());

    private EtcdMethods() {}

    /** One with a single question and a single answer. */
    static <Q extends MessageLite, A extends MessageLite> MethodDescriptor<Q, A> call(
            String name, Q question, A answer) {
        return method(MethodType.UNARY, name, question, answer);
    }

    private static <Q extends MessageLite, A extends MessageLite> MethodDescriptor<Q, A> method(
            MethodType type, String name, Q question, A answer) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(type)
                .setFullMethodName("etcdserverpb." + name)
                .setRequestMarshaller(ProtoLiteUtils.marshaller(question))
                .setResponseMarshaller(ProtoLiteUtils.marshaller(answer))
                .build();
    }
}
