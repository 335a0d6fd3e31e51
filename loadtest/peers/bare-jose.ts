import type { AddressInfo } from "node:net";
import express from "express";
import { createRemoteJWKSet, jwtVerify, SignJWT } from "jose";
import pg from "pg";

/**
 * A minimal server with Express, jose, and pg: verifies an ID token, finds its owner, and issues an access token. It
 * keeps no session, and accepts a token any number of times.
 */
const { DATABASE_URL, POOL_SIZE, ISSUER, CLIENT_ID, TOKEN_SECRET } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) });
const keys = createRemoteJWKSet(new URL(`${ISSUER}/keys`));
const secret = new TextEncoder().encode(TOKEN_SECRET!);
const findOwner = {
  name: "owner",
  text: `SELECT u.id, u.username, u.full_name, u.email FROM identities i JOIN users u ON u.id = i.user_id
         WHERE i.provider = 'google' AND i.subject = $1`,
};

const app = express();
app.get("/cpu", (_req, res) => {
  const { user, system } = process.cpuUsage();
  res.json((user + system) / 1e6);
});
app.use(express.json());
app.post("/api/v1/auth/google", async (req, res) => {
  const { id_token, nonce } = req.body as { id_token: string; nonce: string };
  const { payload } = await jwtVerify(id_token, keys, { issuer: ISSUER!, audience: CLIENT_ID! });
  const { rows } = await pool.query({ ...findOwner, values: [payload.sub] });
  if (payload.nonce !== nonce || !rows[0]) {
    res.status(401).json({ success: false });
    return;
  }
  const accessToken = await new SignJWT({ sub: rows[0].id })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuedAt()
    .setExpirationTime("15m")
    .sign(secret);
  res.json({ success: true, data: { accessToken, user: rows[0], is_new: false } });
});
const server = app.listen(0, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
