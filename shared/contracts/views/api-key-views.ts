import { isIP } from "node:net";
import type Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { extend, type Infer, id, line, listOf, nullable, object, time } from "#shared/contracts/fields.ts";

const isAddress: Joi.CustomValidator<string> = (value, helpers) => {
  const [host = "", prefix, ...rest] = value.split("/");
  const version = isIP(host);
  const bits = version === 4 ? 32 : 128;
  const hasPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  return version > 0 && !host.includes("%") && hasPrefix && rest.length === 0
    ? value
    : helpers.error("string.pattern.name", { name: "an IP address, or a network such as 203.0.113.0/24" });
};

/** An IP address or a network. */
export const address = () => line(2, 60, "203.0.113.0/24").custom(isAddress);

/** A pair of API keys, without its secret. */
export const apiKey = object({
  id: id(exampleIds.apiKey),
  name: line(1, 60, "Shop server"),
  public_key: line(1, 100, "pk_v2Jx0mN8rQ4tYw7uZkHc1sLbDfGaEoPiRnTjVyXqWme"),
  allowed_addresses: listOf(line(2, 60, "203.0.113.0/24")).description("Empty: any address."),
  last_used_at: nullable(time(exampleTime(exampleIds.apiKey, 3600))).description("To the minute."),
  last_used_ip: nullable(line(2, 60, "203.0.113.7")),
  created_at: time(exampleTime(exampleIds.apiKey)),
}).meta({ name: "ApiKey" });
export type ApiKey = Infer<typeof apiKey>;

export const newApiKey = extend(apiKey, {
  secret_key: line(1, 100, "Wq3mX9vB5nR1tL7yK2pS8dF4gH6jZ0cAeUoIxYbNwQk").description("Shown only here. Store it."),
}).meta({ name: "NewApiKey" });
export type NewApiKey = Infer<typeof newApiKey>;
