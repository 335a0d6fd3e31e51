import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, listOf, object, withDefault } from "#shared/contracts/fields.ts";
import { address } from "#shared/contracts/views.ts";

export const createApiKeyBody = object({
  name: line(1, 60, "Shop server").description("For you, to tell your keys apart."),
  allowed_addresses: withDefault(
    listOf(address()).max(20).description("IP addresses and networks that the key works from. Empty: any."),
    [],
  ),
}).meta({ name: "CreateApiKeyBody" });

export const apiKeyParams = object({ id: id(exampleIds.apiKey) });
