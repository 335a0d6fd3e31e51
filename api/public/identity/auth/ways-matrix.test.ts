import { expect } from "chai";
import { service as principal } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
import { configureOpenId } from "#shared/domain/identity/sign-in/openid.config.ts";
import { eraseUser } from "#shared/domain/operations/deletion/erase-user.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useOpenId } from "#shared/testing/fakes/fake-openid.ts";
import { codeIn, messagesTo } from "#shared/testing/mailbox.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { type Answer, noEngine, useService } from "#shared/testing/service.ts";

const password = "listen to the room";

/** A person at one way in. */
interface Person {
  /** Logs in; registers first if the way in doesn't do so by itself. `profile` is that of a new account. */
  readonly register: (profile?: object) => Promise<Answer>;
  readonly logIn: (profile?: object) => Promise<Answer>;
  /** Links the way in to the account of `token`. */
  readonly link: (token: string) => Promise<Answer>;
}

/** What a cell expects: `new`, `same` (account), `linked`, or the code of an error. */
type Expected = string;

const states = [
  "new",
  "known",
  "linked elsewhere",
  "suspended",
  "deletion pending",
  "erased",
  "guest",
  "under age",
] as const;

const ofTokens: readonly Expected[] = [
  "new",
  "same",
  "IDENTITY_TAKEN",
  "ACCOUNT_SUSPENDED",
  "same",
  "new",
  "linked",
  "VALIDATION_ERROR",
];

/** One expected answer for each way in, in the order of `states`. */
const matrix: Readonly<Record<string, readonly Expected[]>> = {
  google: ofTokens,
  apple: ofTokens,
  facebook: ofTokens,
  "oidc/line": ofTokens,
  phone: ofTokens,
  // A password registers by `POST /auth/register` only, and any account can have the password of another one.
  password: [
    "INVALID_CREDENTIALS",
    "same",
    "linked",
    "ACCOUNT_SUSPENDED",
    "same",
    "INVALID_CREDENTIALS",
    "linked",
    "VALIDATION_ERROR",
  ],
  // The secret of a guest is no identity that others can link.
  guest: [
    "new",
    "same",
    "NOT_FOUND",
    "ACCOUNT_SUSPENDED",
    "same",
    "INVALID_CREDENTIALS",
    "NOT_FOUND",
    "VALIDATION_ERROR",
  ],
};

describe("each way in, for each state of an account:", () => {
  const service = useService();
  const scene = useOpenId();
  before("configures the ways in", async () => {
    const { issuer, clientId } = scene.provider;
    configureOpenId(["google", "apple", "facebook", "line"].map((name) => ({ name, issuer, clientIds: [clientId] })));
    await changeSettings(adminCaller(), { guests_enabled: true });
  });
  after(async () => {
    configureOpenId([]);
    await changeSettings(adminCaller(), { guests_enabled: false });
  });

  const post = (path: string, body: object, token?: string) =>
    service.call("post", path, { body, ...(token && { token }) });
  const link = (provider: string, body: object, token: string) => post(`/users/me/identities/${provider}`, body, token);

  function byToken(way: string): Person {
    const subject = newId();
    const proof = async () => {
      const nonce = newId();
      return { id_token: await scene.provider.token(subject, nonce), nonce };
    };
    const logIn = async (profile?: object) => post(`/auth/${way}`, { ...(await proof()), profile });
    return { register: logIn, logIn, link: async (token) => link(way.replace("oidc/", ""), await proof(), token) };
  }

  let numbers = 0;
  function byPhone(): Person {
    numbers += 1;
    const mobile = `+9196${String(process.pid % 100_000).padStart(5, "0")}${String(numbers).padStart(3, "0")}`;
    let sent = 0;
    const proof = async () => {
      sent += 1;
      await post("/auth/phone/code", { mobile });
      return { mobile, code: codeIn((await messagesTo(mobile, sent))[0]!) };
    };
    const logIn = async (profile?: object) => post("/auth/phone", { ...(await proof()), profile });
    return { register: logIn, logIn, link: async (token) => link("phone", await proof(), token) };
  }

  function byPassword(): Person {
    const username = `p${newId().slice(-12)}`;
    const born = {
      username,
      email: `${username}@example.com`,
      full_name: "Ada",
      password,
      confirm_password: password,
      terms_accepted: true,
    };
    let identifier = username;
    return {
      register: (profile) => post("/auth/register", { ...born, date_of_birth: "1990-01-02", ...profile }),
      logIn: (profile) =>
        profile ? post("/auth/register", { ...born, ...profile }) : post("/auth/login", { identifier, password }),
      link: async (token) => {
        identifier = (await service.call("get", "/users/me", { token })).body.data.username;
        return link("password", { password }, token);
      },
    };
  }

  function byGuest(): Person {
    let guest_secret: string | undefined;
    const logIn = async (profile?: object) => {
      const answer = await post("/auth/guest", { guest_secret, profile });
      guest_secret ??= answer.body.data?.guest_secret;
      return answer;
    };
    return {
      register: logIn,
      logIn,
      link: (token) => link("guest", { id_token: "x".repeat(16), nonce: newId() }, token),
    };
  }

  const people: Record<string, () => Person> = { phone: byPhone, password: byPassword, guest: byGuest };
  const personBy = (way: string): Person => (people[way] ?? (() => byToken(way)))();

  const userOf = ({ body }: Answer): string => body.data.user.id;
  const errorOf = ({ body }: Answer): string => body.error?.code ?? "no error";

  /** Returns how a login ended, compared with the account that the way in had. */
  const outcomeOf = (answer: Answer, had?: string): string => {
    if (answer.body.error) return errorOf(answer);
    expect(userOf(answer) === had).to.equal(!(answer.body.data.is_new ?? false));
    return userOf(answer) === had ? "same" : "new";
  };

  /** Links, then logs in by what was linked. */
  async function linkAndLogIn(person: Person, token: string, id: string): Promise<string> {
    const linked = await person.link(token);
    if (linked.status !== 200) return errorOf(linked);
    return outcomeOf(await person.logIn(), id) === "same" ? "linked" : "elsewhere";
  }

  const duePast =
    "UPDATE users SET status = 'deletion_pending', deletion_due_at = now() - interval '1 hour' WHERE id = $1";

  const cells: Record<(typeof states)[number], (person: Person, another: Person) => Promise<string>> = {
    new: async (person) => outcomeOf(await person.logIn()),
    known: async (person) => {
      const id = userOf(await person.register());
      return outcomeOf(await person.logIn(), id);
    },
    "linked elsewhere": async (person, another) => {
      const owner = userOf(await person.register());
      const { accessToken, user } = (await another.register()).body.data;
      const ended = await linkAndLogIn(person, accessToken, user.id);
      expect(user.id).not.to.equal(owner);
      return ended;
    },
    suspended: async (person) => {
      await suspendUser(principal, userOf(await person.register()), { reason: "Spam" });
      return errorOf(await person.logIn());
    },
    "deletion pending": async (person) => {
      const id = userOf(await person.register());
      await query(duePast, [id]);
      const again = await person.logIn();
      expect(again.body.data.user.status).to.equal("active");
      return outcomeOf(again, id);
    },
    erased: async (person) => {
      const id = userOf(await person.register());
      await query(duePast, [id]);
      await eraseUser(id, noEngine);
      return outcomeOf(await person.logIn(), id);
    },
    guest: async (person) => {
      const { accessToken, user } = (await byGuest().register()).body.data;
      return linkAndLogIn(person, accessToken, user.id);
    },
    "under age": async (person) => errorOf(await person.logIn({ date_of_birth: isoNow().slice(0, 10) })),
  };

  for (const [way, expected] of Object.entries(matrix))
    it(`${way}: ${expected.join(", ")}`, async () => {
      const ended: string[] = [];
      for (const state of states)
        ended.push(await cells[state](personBy(way), byToken(way === "google" ? "apple" : "google")));
      const table = (row: readonly string[]) => Object.fromEntries(states.map((state, at) => [state, row[at]]));
      expect(table(ended)).to.deep.equal(table(expected));
    });
});
