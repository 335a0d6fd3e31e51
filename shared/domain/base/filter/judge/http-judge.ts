import { ConsecutiveBreaker, circuitBreaker, handleAll, TimeoutStrategy, timeout, wrap } from "cockatiel";
import Joi from "joi";
import { object } from "#shared/contracts/fields.ts";
import { clock } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { signedHeaders } from "#shared/kernel/standard-webhooks.ts";
import type { Judge, Labels } from "./judge.config.ts";

export interface JudgeServer {
  readonly url: string;
  /** Of Standard Webhooks: `whsec_`, and a key in base64. */
  readonly secret: string;
  /** How long it may take, milliseconds. */
  readonly withinMs?: number;
}

/** The longest answer that is read, characters. */
const answerMax = 16_384;
/** After how many failures in a row it isn't asked for a while, and for how long, milliseconds. */
const [failuresMax, pauseMs] = [5, 30_000];

const answer = object({
  labels: Joi.object<Labels>().pattern(Joi.string().max(40), Joi.number().min(0).max(1)).max(100).required(),
})
  .unknown()
  .required();

/**
 * A judge behind an address: `POST` with what it is asked about, signed by Standard Webhooks; the answer is
 * `{ "labels": { "harassment": 0.93 } }`. One that is late or fails several times isn't asked for half a minute.
 */
export function httpJudge({ url, secret, withinMs = 3000 }: JudgeServer): Judge {
  const policy = wrap(
    circuitBreaker(handleAll, { halfOpenAfter: pauseMs, breaker: new ConsecutiveBreaker(failuresMax) }),
    timeout(withinMs, TimeoutStrategy.Aggressive),
  );
  return (asked) =>
    policy.execute(async ({ signal }) => {
      const body = JSON.stringify(asked);
      const headers = {
        "content-type": "application/json",
        ...signedHeaders(secret, newId(), Math.floor(clock.now() / 1000), body),
      };
      const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
      if (!response.ok) throw new Error(`the judge answered ${response.status}`);
      const { value, error } = answer.validate(JSON.parse(await textOf(response)));
      if (error) throw new Error("the judge's answer makes no sense");
      return value.labels;
    });
}

/** @throws Error for an answer that is too long */
async function textOf(response: Response): Promise<string> {
  let text = "";
  for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.length > answerMax) throw new Error("the judge's answer is too long");
  }
  return text;
}
