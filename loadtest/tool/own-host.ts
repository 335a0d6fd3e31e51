import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { OperatorError } from "#shared/kernel/operator-error.ts";

const isLoopback = (address: string): boolean => /^(::1|127\.|::ffff:127\.)/.test(address);

/**
 * Refuses to load another machine than this one, which may belong to others.
 * @throws OperatorError
 */
export async function assertOwnHost(url: string): Promise<void> {
  const { hostname } = new URL(url);
  const own = new Set(Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []));
  const found = await lookup(hostname.replace(/^\[|\]$/g, ""), { all: true }).catch(() => []);
  const isOwn = found.length > 0 && found.every(({ address }) => isLoopback(address) || own.has(address));
  if (!isOwn) throw new OperatorError(`${hostname} isn't this machine. If you may load it, add --yes-load-this-host.`);
}
