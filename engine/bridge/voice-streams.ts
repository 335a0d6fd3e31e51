import type { Server as HttpServer, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { recordSeat } from "#shared/domain/live/evidence/recorder.ts";
import type { SeatStream } from "#shared/domain/live/evidence/seat-stream.ts";
import { isStreamPath, trackOfPath } from "#shared/domain/live/evidence/stream-path.ts";
import { logger } from "#shared/kernel/logger.ts";

/** The largest message: more than a second of audio. */
const maxPayload = 256 * 1024;
/** The media server sends audio or silence all the time. */
const idleMs = 30_000;
const goingAway = 1001;
const rejected = "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/** Receives the audio of seats that the media server's egress sends, on connections to a port that is shared. */
export function receiveVoice(http: HttpServer): void {
  const server = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false });
  http.on("upgrade", (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isStreamPath(req.url)) return;
    socket.on("error", () => socket.destroy());
    accept(server, req, socket, head).catch((error: unknown) => {
      logger.warn({ err: error }, "the audio of a seat could not be received");
      socket.destroy();
    });
  });
}

async function accept(server: WebSocketServer, req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const track = trackOfPath(req.url ?? "");
  let connection: WebSocket | undefined;
  const stream = track && (await recordSeat(track, () => connection?.close(goingAway)));
  if (!stream) return void socket.end(rejected);
  socket.once("close", () => stream.end());
  // It may have left meanwhile.
  if (socket.destroyed) stream.end();
  server.handleUpgrade(req, socket, head, (opened) => {
    connection = opened;
    req.socket.setTimeout(idleMs, () => opened.terminate());
    opened.on("error", (error) => logger.debug({ err: error }, "stream of a seat"));
    opened.on("message", (data, isBinary) => hear(stream, data as Buffer, isBinary));
  });
}

/** Messages are audio, or say in JSON that the track was muted or unmuted. Anything else ends the stream. */
function hear(stream: SeatStream, data: Buffer, isBinary: boolean): void {
  if (isBinary) {
    stream.hear(data);
    return;
  }
  try {
    const { muted } = JSON.parse(data.toString()) as { muted?: unknown };
    if (typeof muted === "boolean") stream.mute(muted);
  } catch {
    stream.end();
  }
}
