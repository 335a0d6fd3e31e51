import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { gunzipSync } from "node:zlib";
import { JoinRequest, WrappedJoinRequest, WrappedJoinRequest_Compression } from "@livekit/protocol";
import { type WebSocket, WebSocketServer } from "ws";

const server = new WebSocketServer({ noServer: true });

/** Completes the upgrade to a WebSocket. */
export const acceptSocket = (req: IncomingMessage, stream: Duplex, head: Buffer): Promise<WebSocket> =>
  new Promise((resolve) => server.handleUpgrade(req, stream, head, resolve));

/**
 * Returns what a client asks for in the address of its connection: `join_request`, by protobuf, compressed, in base64.
 */
export function joinRequestIn(address: URL): JoinRequest {
  const wrapped = WrappedJoinRequest.fromBinary(
    Buffer.from(address.searchParams.get("join_request") ?? "", "base64url"),
  );
  const isZipped = wrapped.compression === WrappedJoinRequest_Compression.GZIP;
  return JoinRequest.fromBinary(isZipped ? gunzipSync(wrapped.joinRequest) : wrapped.joinRequest);
}
