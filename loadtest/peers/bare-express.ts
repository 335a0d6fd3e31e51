import { createSecretKey } from "node:crypto";
import type { AddressInfo } from "node:net";
import express from "express";
import jwt from "jsonwebtoken";
import pg from "pg";

/**
 * A minimal server with Express and pg: one route verifies the token, runs one statement, and formats the row. It
 * returns the same response as the service, and does nothing else.
 */
const { DATABASE_URL, POOL_SIZE, POOL_OPTIONS, STATEMENT, TOKEN_SECRET } = process.env;
const { name, text } = JSON.parse(STATEMENT!) as { name: string; text: string };
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE), options: POOL_OPTIONS });
const secret = createSecretKey(TOKEN_SECRET!, "utf8");
const rules: jwt.VerifyOptions = { algorithms: ["HS256"], issuer: "hubbub", audience: "user" };
const everything = {
  privacy: { show_online: true, show_current_room: true, allow_friend_requests: "everyone", allow_dm: "everyone" },
  notifications: Object.fromEntries(
    ["push", "email", "gifts", "follows", "friend_requests", "messages", "posts", "rooms"].map((key) => [key, true]),
  ),
};

function show({ room_id, room_name, settings, balance, ...row }: pg.QueryResultRow): object {
  return {
    ...row,
    followers_count: Number(row.followers_count),
    following_count: Number(row.following_count),
    posts_count: Number(row.posts_count),
    is_following: false,
    is_followed_by: false,
    friend_status: "none",
    is_blocked: false,
    current_room: room_id ? { id: room_id, name: room_name } : null,
    settings: {
      privacy: { ...everything.privacy, ...settings.privacy },
      notifications: { ...everything.notifications, ...settings.notifications },
    },
    wallet: { balance: Number(balance) },
  };
}

const app = express();
app.get("/cpu", (_req, res) => {
  const { user, system } = process.cpuUsage();
  res.json((user + system) / 1e6);
});
app.use(express.json());
app.get("/api/v1/users/me", async (req, res) => {
  let userId: string | undefined;
  try {
    const token = (req.headers.authorization ?? "").replace(/^Bearer /, "");
    userId = (jwt.verify(token, secret, rules) as jwt.JwtPayload).sub;
  } catch {
    res.status(401).json({ success: false });
    return;
  }
  const { rows } = await pool.query({ name, text, values: [userId] });
  if (rows[0]) res.json({ success: true, data: show(rows[0]) });
  else res.status(404).json({ success: false });
});
const server = app.listen(0, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
