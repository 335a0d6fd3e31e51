import { type KeptMessage, listMessages } from "#shared/domain/mail/outbox.ts";
import { until } from "./until.ts";

/** Waits until so many messages have been sent to an address or number; answers them, the newest first. */
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

/** The code of 6 digits in a message. */
export const codeIn = ({ text }: KeptMessage): string => /\b\d{6}\b/.exec(text)?.[0] ?? "";

/** The token of the link in a reset mail. */
export const tokenIn = ({ text }: KeptMessage): string =>
  new URL(/https?:\S+/.exec(text)?.[0] ?? "").searchParams.get("token") ?? "";

/** A code that is another one. */
export const wrongFor = (code: string): string => (code === "000000" ? "000001" : "000000");
