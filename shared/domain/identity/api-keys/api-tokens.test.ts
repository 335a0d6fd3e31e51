import { expect } from "chai";
import { service } from "#shared/contracts/principal.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { reactivateUser, suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
import { requestDeletion } from "#shared/domain/operations/deletion/request-deletion.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { createApiKey, deleteApiKey, keysMax, listApiKeys } from "./api-keys.ts";
import { holderOf, issueToken, pruneTokens, revokeTokensOf, tokensPerMinute } from "./api-tokens.ts";

const here = "192.0.2.10";

const codeOf = (work: Promise<unknown>) => work.then(() => "ok").catch(({ code }: { code: string }) => code);

async function buildKey(owner: BuiltUser, allowed_addresses: string[] = []) {
  const key = await createApiKey(callerOf(owner), { name: "Shop", allowed_addresses });
  return { ...key, token: (from = here) => issueToken(key.public_key, key.secret_key, from) };
}

describe("API keys", () => {
  useService();

  it("stores neither the secret nor a token", async () => {
    const key = await buildKey(await buildUser());
    const token = await key.token();

    const stored = await query(
      "SELECT k::text AS row FROM api_keys k WHERE id = $1 UNION ALL SELECT t::text FROM api_tokens t WHERE key_id = $1",
      [key.id],
    );

    expect(stored).to.have.length(2);
    for (const secret of [key.secret_key, token]) expect(JSON.stringify(stored)).not.to.include(secret);
    expect(Buffer.from(key.secret_key, "base64url")).to.have.length(32);
  });

  it("says when and from where a key was last used", async () => {
    const owner = await buildUser();
    const key = await buildKey(owner);
    const [unused] = await listApiKeys(owner.id);
    const token = await key.token("::ffff:192.0.2.1");
    const [issued] = await listApiKeys(owner.id);
    await holderOf(token, "2001:db8::7");
    const [used] = await listApiKeys(owner.id);

    expect(unused).to.include({ last_used_at: null, last_used_ip: null });
    expect(issued).to.include({ last_used_ip: "192.0.2.1" });
    expect(used).to.include({ last_used_ip: "2001:db8::7" });
    expect(used?.last_used_at).to.be.a("string");
  });

  it("keeps a user's number of keys bounded, however they are created", async () => {
    const owner = await buildUser();

    const outcomes = await Promise.all(Array.from({ length: keysMax + 5 }, () => codeOf(buildKey(owner))));

    expect(outcomes.filter((outcome) => outcome === "ok")).to.have.length(keysMax);
    expect(await listApiKeys(owner.id)).to.have.length(keysMax);
  });

  it("refuses every wrong pair in the same words", async () => {
    const [key, other] = [await buildKey(await buildUser()), await buildKey(await buildUser())];
    const messageOf = (publicKey: string, secretKey: string) =>
      issueToken(publicKey, secretKey, here).catch(({ message }: Error) => message);

    const messages = await Promise.all([
      messageOf(key.public_key, other.secret_key),
      messageOf(other.public_key, key.secret_key),
      messageOf("pk_none", key.secret_key),
      messageOf(key.public_key, ""),
    ]);

    expect(new Set(messages)).to.deep.equal(new Set(["The public key or the secret key is invalid."]));
  });

  it("limits the tokens that a key gets in a minute, also at once", async () => {
    const key = await buildKey(await buildUser());

    const outcomes = await Promise.all(Array.from({ length: tokensPerMinute + 5 }, () => codeOf(key.token())));

    expect(outcomes.filter((outcome) => outcome === "ok")).to.have.length(tokensPerMinute);
    expect(outcomes.filter((outcome) => outcome === "RATE_LIMITED")).to.have.length(5);
  });

  it("works only from the addresses that the key allows", async () => {
    const key = await buildKey(await buildUser(), ["192.0.2.0/24", "2001:db8::1"]);
    const token = await key.token();

    for (const [address, outcome] of [
      ["192.0.2.200", "ok"],
      ["::ffff:192.0.2.1", "ok"],
      ["2001:db8::1", "ok"],
      ["2001:db8::2", "UNAUTHENTICATED"],
      ["198.51.100.1", "UNAUTHENTICATED"],
      ["fe80::1%eth0", "UNAUTHENTICATED"],
      ["", "UNAUTHENTICATED"],
    ] as const)
      expect([address, await codeOf(key.token(address)), await codeOf(holderOf(token, address))]).to.deep.equal([
        address,
        outcome,
        outcome,
      ]);
  });

  /** What ends the tokens of a key, and whether the key itself ends too. */
  const endings: Record<string, { end: (owner: BuiltUser, keyId: string) => Promise<unknown>; keyEnds: boolean }> = {
    "its key is revoked": { end: (owner, keyId) => deleteApiKey(callerOf(owner), keyId), keyEnds: true },
    "24 hours have passed": {
      end: (_owner, keyId) => query("UPDATE api_tokens SET expires_at = now() WHERE key_id = $1", [keyId]),
      keyEnds: false,
    },
    "its owner is suspended": { end: ({ id }) => suspendUser(service, id, { reason: "Spam" }), keyEnds: true },
    "its owner was suspended meanwhile": {
      end: async ({ id }) => {
        await suspendUser(service, id, { reason: "Spam" });
        await reactivateUser(service, id);
      },
      keyEnds: false,
    },
    "its owner asks for the deletion of their account": {
      end: (owner) => requestDeletion(callerOf(owner)),
      keyEnds: true,
    },
    "all tokens of its owner are revoked": {
      end: ({ id }) => inTransaction((tx) => revokeTokensOf(tx, id)),
      keyEnds: false,
    },
  };
  for (const [what, { end, keyEnds }] of Object.entries(endings))
    it(`ends a token when ${what}`, async () => {
      const owner = await buildUser();
      const key = await buildKey(owner);
      const token = await key.token();
      expect(await holderOf(token, here)).to.deep.equal({ kind: "key_holder", keyId: key.id, userId: owner.id });

      await end(owner, key.id);

      expect(await codeOf(holderOf(token, here))).to.equal("UNAUTHENTICATED");
      expect(await codeOf(key.token())).to.equal(keyEnds ? "UNAUTHENTICATED" : "ok");
    });

  it("doesn't show a key to users who don't own it", async () => {
    const key = await buildKey(await buildUser());
    const stranger = callerOf(await buildUser());

    for (const id of [key.id, newId()]) expect(await codeOf(deleteApiKey(stranger, id))).to.equal("NOT_FOUND");
    expect(await codeOf(key.token())).to.equal("ok");
  });

  it("prunes expired tokens alone", async () => {
    const key = await buildKey(await buildUser());
    const [expired, living] = [await key.token(), await key.token()];
    await query("UPDATE api_tokens SET expires_at = now() - interval '1 second' WHERE token_hash = sha256($1::bytea)", [
      Buffer.from(expired),
    ]);

    expect(await pruneTokens()).to.be.at.least(1);

    expect(await codeOf(holderOf(living, here))).to.equal("ok");
    expect(await queryOne("SELECT count(*) FROM api_tokens WHERE key_id = $1", [key.id])).to.deep.equal({ count: 1 });
  });
});
