import { type KeptMessage, listMessages } from "#shared/domain/identity/mail/outbox.ts";
import { until } from "./until.ts";

/** Waits until this many messages have been sent to an address or number. Returns them, newest first. */
export async function messagesTo(recipient: string, many = 1): Promise<KeptMessage[]> {
  let messages: KeptMessage[] = [];
  await until(
    `${many} messages to ${recipient}`,
    async () => {
      messages = await listMessages(recipient);
      return messages.length >= many;
    },
    10_000,
  );
  return messages;
}

/** Returns the 6-digit code in a message. */
export const codeIn = ({ text }: KeptMessage): string => /\b\d{6}\b/.exec(text)?.[0] ?? "";

/** Returns the token in the link of a reset mail. */
export const tokenIn = ({ text }: KeptMessage): string =>
  new URL(/https?:\S+/.exec(text)?.[0] ?? "").searchParams.get("token") ?? "";

/** Returns a different code. */
export const wrongFor = (code: string): string => (code === "000000" ? "000001" : "000000");
