import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "socket.io";

/**
 * A minimal Socket.IO server with one room, which forwards messages, announces who joins (unless `quiet`), and stores
 * nothing. Its messages have the same schema and size as the service's.
 */
const isQuiet = process.argv[2] === "quiet";
const http = createServer((_req, res) => {
  const { user, system } = process.cpuUsage();
  res.end(String((user + system) / 1e6));
});
const io = new Server(http, { serveClient: false });
let seq = 0;
const members: object[] = [];

io.on("connection", (socket) => {
  const user = {
    id: socket.id,
    username: String(socket.handshake.auth.name),
    full_name: "Load Test",
    avatar_url: null,
    country: null,
    is_online: true,
    vip: null,
    frame: null,
  };
  socket.on("room:join", async ({ room_id }, acknowledge) => {
    await socket.join(room_id);
    const member = { user, role: "member", seat_no: null, joined_at: new Date().toISOString(), connected: true };
    members.push(member);
    seq += 1;
    const { length: member_count } = members;
    if (!isQuiet) io.to(room_id).emit("room:participant_joined", { room_id, member, member_count, seq });
    acknowledge({ success: true, data: { member_count, members: members.slice(0, 50), seq } });
  });
  socket.on("room:message", ({ room_id, body }, acknowledge) => {
    seq += 1;
    const id = crypto.randomUUID();
    const message = { id, room_id, user, body, kind: "text", created_at: new Date().toISOString() };
    io.to(room_id).emit("room:new_message", { room_id, message, seq });
    acknowledge({ success: true, data: message });
  });
});

http.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${(http.address() as AddressInfo).port}`));
