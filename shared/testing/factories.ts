import "./access-tokens.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { createAccount, type NewAccount } from "#shared/domain/accounts/create-account.ts";
import { hashPassword } from "#shared/domain/accounts/password.ts";
import { transfer } from "#shared/domain/ledger/transfer.ts";
import { openSession } from "#shared/domain/sessions/open-session.ts";
import { newId } from "#shared/kernel/ids.ts";

/** What everybody who is built logs in with; hashed once in a process. */
const password = "correct horse battery";
let passwordHash: Promise<string> | undefined;

export interface BuiltUser {
  id: string;
  username: string;
  email: string;
  password: string;
  sessionId: string;
  /** An access token of the session. */
  token: string;
  refreshToken: string;
}

/** Makes a person who has registered, with a session. `coins` is what the wallet holds: nothing unless told. */
export async function buildUser(
  overrides: Partial<Omit<NewAccount, "passwordHash">> & { coins?: number } = {},
): Promise<BuiltUser> {
  const { coins = 0, ...fields } = overrides;
  const name = `u${newId().replaceAll("-", "").slice(-20)}`;
  passwordHash ??= hashPassword(password);
  const account: NewAccount = {
    full_name: "Ada Lovelace",
    username: name,
    email: `${name}@example.com`,
    mobile: null,
    date_of_birth: null,
    passwordHash: await passwordHash,
    ...fields,
  };
  return inTransaction(async (tx) => {
    const id = await createAccount(tx, account);
    if (coins > 0) {
      await transfer(tx, {
        reference: { type: "test_grant", id },
        description: "Coins to begin a test with",
        entries: [
          { account: { userId: id }, amount: coins, type: "admin_adjustment" },
          { account: { house: "issue" }, amount: -coins, type: "admin_adjustment" },
        ],
      });
    }
    const session = await openSession(tx, id, { ip: "127.0.0.1", userAgent: "tests" });
    return {
      id,
      username: account.username,
      email: account.email,
      password,
      sessionId: session.sessionId,
      token: session.accessToken,
      refreshToken: session.refreshToken,
    };
  });
}
