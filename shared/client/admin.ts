import { type AdminLoggedIn, type Operations, operations } from "./admin.generated.ts";
import { Emitter } from "./emitter.ts";
import { Rest } from "./rest.ts";
import { memoryStorage, Session, type TokenStorage } from "./session.ts";
import { uploadWith } from "./upload.ts";

export type * from "./admin.generated.ts";
export { type Call, type FieldError, HubbubError, isHubbubError, type Outcome, outcome } from "./errors.ts";
export { type KeyValueStore, memoryStorage, type TokenStorage, type Tokens, webStorage } from "./session.ts";

export interface AdminOptions {
  /** The address of the service. Default: where the page comes from. */
  readonly url?: string | undefined;
  /** Where the token is kept. Default: in memory. */
  readonly storage?: TokenStorage | undefined;
  /** Limit of one attempt, milliseconds. Default: 10,000. */
  readonly timeout?: number | undefined;
  /** How often a call is repeated that may be. Default: 3. */
  readonly retries?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** The language of messages, asked for at each call: `hi`. Default: that of the browser. */
  readonly language?: (() => string) | undefined;
}

/** The client of an administrator. Their token isn't renewed: after an hour, they log in again. */
export class Admin {
  /** Calls any operation of the admin API by its ID. @throws HubbubError */
  readonly request: Rest<Operations>["request"];
  readonly each: Rest<Operations>["each"];
  /** Uploads art. Returns it once it is ready, or rejected with a reason. */
  readonly upload: (
    file: Blob,
    about: { readonly purpose: Operations["requestArtUpload"]["body"]["purpose"]; readonly content_type?: string },
  ) => Promise<Operations["completeArtUpload"]["data"]>;
  readonly #emitter = new Emitter<{ readonly logout: { readonly reason: string } }>();
  readonly #session: Session;

  /** Adds a listener. Returns a function that removes it. */
  readonly on = this.#emitter.on;

  constructor(given: AdminOptions = {}) {
    const { url = "", storage = memoryStorage(), timeout = 10_000, retries = 3, language, fetch: own } = given;
    const unrenewable = () => Promise.reject(new Error("The tokens of administrators aren't renewed."));
    this.#session = new Session(storage, unrenewable, {
      onRenewed: () => {},
      onEnded: (reason) => this.#emitter.emit("logout", { reason }),
    });
    const options = {
      url: `${url}/api/v1/admin`,
      timeout,
      retries,
      language,
      fetch: own ?? ((...call) => fetch(...call)),
    };
    const rest = new Rest<Operations>(operations, options, this.#session);
    this.request = rest.request;
    this.upload = uploadWith({
      announce: (body: Operations["requestArtUpload"]["body"]) => rest.request("requestArtUpload", { body }),
      complete: (id) => rest.request("completeArtUpload", { params: { id }, repeat: true }),
      fetch: options.fetch,
    });
    this.each = rest.each;
  }

  /** Logs in. @throws HubbubError INVALID_CREDENTIALS, or MFA_REQUIRED without the code of a second factor */
  async login(body: Operations["logInAdmin"]["body"]): Promise<AdminLoggedIn["admin"]> {
    const { token, admin } = await this.request("logInAdmin", { body });
    await this.#session.start({ accessToken: token });
    return admin;
  }

  /** Whether there is a token. */
  async isLoggedIn(): Promise<boolean> {
    return (await this.#session.token()) !== null;
  }

  /** Ends the session, here and on the server. */
  async logout(): Promise<void> {
    if (await this.isLoggedIn()) await this.request("logOutAdmin", { repeat: true }).catch(() => {});
    await this.#session.end("LOGGED_OUT");
  }
}

/** Creates the client of an administrator. */
export const createAdmin = (options: AdminOptions = {}): Admin => new Admin(options);
