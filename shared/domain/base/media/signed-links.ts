import jwt from "jsonwebtoken";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";
import { mediaKey } from "./media.config.ts";
import { fileKey } from "./media-keys.ts";

/** What one may send to an address of the folder store. */
export interface Upload {
  readonly id: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly expiresAt: number;
}

/** How long an address for reading works at least. It stays the same for that long, so that it can be cached. */
const readingMs = minutesMs(60);

const sign = (audience: "upload" | "read", id: string, expiresAt: number, more: object = {}): string =>
  jwt.sign({ ...more, exp: Math.floor(expiresAt / 1000) }, mediaKey(), { audience, subject: id, noTimestamp: true });

/** Returns the payload of a token, or undefined if it isn't ours, or has expired. */
function verify(audience: "upload" | "read", token: string): jwt.JwtPayload | undefined {
  try {
    const clockTimestamp = Math.floor(clock.now() / 1000);
    return jwt.verify(token, mediaKey(), { audience, algorithms: ["HS256"], clockTimestamp }) as jwt.JwtPayload;
  } catch {
    return undefined;
  }
}

/** Returns the address to which the bytes of an upload are sent, without a store that has its own. */
export const uploadAddress = ({ id, contentType, bytes, expiresAt }: Upload): string =>
  `${publicAddress()}/uploads/${sign("upload", id, expiresAt, { contentType, bytes })}`;

/** Returns what one may send to an address, or undefined. */
export function uploadOf(token: string): Upload | undefined {
  const payload = verify("upload", token);
  return payload && ({ ...payload, id: payload.sub!, expiresAt: payload.exp! * 1000 } as unknown as Upload);
}

/** Returns the address of a private file. Those get one who may see where the file is shown. */
export function privateAddress(id: string, file: string): string {
  const expiresAt = Math.ceil(clock.now() / readingMs + 1) * readingMs;
  return `${publicAddress()}/${fileKey(id, file, true)}?token=${sign("read", id, expiresAt)}`;
}

/** Does the token of an address let one read the files of a medium? */
export const mayRead = (id: string, token: string): boolean => verify("read", token)?.sub === id;
