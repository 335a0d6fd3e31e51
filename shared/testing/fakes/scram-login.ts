import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

const [algorithm, length, iterations] = ["sha512", 64, 4096];
const hmac = (key: Buffer, data: string) => createHmac(algorithm, key).update(data).digest();
const xor = (one: Buffer, other: Buffer) => Buffer.from(one.map((byte, index) => byte ^ other[index]!));

/** The server's side of one login by SCRAM-SHA-512, as RFC 5802 describes it. */
export class ScramLogin {
  readonly #user: string;
  readonly #salted: Buffer;
  readonly #salt = randomBytes(16);
  /** What both have said before the proof. */
  #said: { readonly first: string; readonly challenge: string; readonly nonce: string } | undefined;

  constructor(user: string, password: string) {
    this.#user = user;
    this.#salted = pbkdf2Sync(password, this.#salt, iterations, length, algorithm);
  }

  /** Returns the answer to the client's next message; undefined if it doesn't prove the password. */
  answer(message: string): string | undefined {
    return this.#said ? this.#verify(message, this.#said) : this.#challenge(message);
  }

  #challenge(message: string): string | undefined {
    const [, first, user, own] = /^n,,(n=([^,]+),r=(.+))$/.exec(message) ?? [];
    if (!first || user !== this.#user) return undefined;
    const nonce = `${own}${randomBytes(12).toString("base64url")}`;
    const challenge = `r=${nonce},s=${this.#salt.toString("base64")},i=${iterations}`;
    this.#said = { first, challenge, nonce };
    return challenge;
  }

  #verify(message: string, { first, challenge, nonce }: { first: string; challenge: string; nonce: string }) {
    const [, final, proof] = /^(.+),p=(.+)$/.exec(message) ?? [];
    if (!final || !proof || final !== `c=biws,r=${nonce}`) return undefined;
    const said = `${first},${challenge},${final}`;
    const stored = createHash(algorithm).update(hmac(this.#salted, "Client Key")).digest();
    const key = xor(Buffer.from(proof, "base64"), hmac(stored, said));
    if (!createHash(algorithm).update(key).digest().equals(stored)) return undefined;
    return `v=${hmac(hmac(this.#salted, "Server Key"), said).toString("base64")}`;
  }
}
