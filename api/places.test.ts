import { expect } from "chai";
import type Joi from "joi";
import { userActions, voiceActions } from "#shared/contracts/actions.ts";
import { chatActions } from "#shared/contracts/chat-actions.ts";
import { type PlaceName, places } from "#shared/domain/base/filter/places.ts";
import { noEngine } from "#shared/testing/service.ts";
import { apiRoutes } from "./routes.ts";

/** The place of each text that users can send. */
const placeOf: Readonly<Record<string, PlaceName>> = {
  "POST /auth/register full_name": "name",
  "profile.full_name": "name",
  "PATCH /users/me full_name": "name",
  "PATCH /users/me bio": "bio",
  "POST /rooms name": "room",
  "POST /rooms description": "room_text",
  "PATCH /rooms/:id name": "room",
  "PATCH /rooms/:id description": "room_text",
  "PATCH /rooms/:id announcement": "room_text",
  "PATCH /rooms/:id welcome": "room_text",
  "POST /rooms/:id/messages body": "room_message",
  "PATCH /rooms/:id/messages/:messageId body": "edit",
  "POST /rooms/:id/kick reason": "reason",
  "PUT /rooms/:id/rules text": "room_text",
  "POST /conversations name": "group",
  "PATCH /conversations/:id name": "group",
  "POST /conversations/:id/messages body": "direct_message",
  "PATCH /conversations/:id/messages/:messageId body": "edit",
  "POST /posts content": "post",
  "POST /posts/:id/comments content": "comment",
  "POST /support/tickets subject": "ticket",
  "POST /support/tickets message": "ticket",
  "POST /media name": "file_name",
  "room:message body": "room_message",
  "message:edit body": "edit",
  "room:kick reason": "reason",
};

/** Texts without a place: no other user reads them. */
const unread: readonly RegExp[] = [
  /password$/,
  / (token|identifier|refreshToken|client_id|version|content_type|\w*_signature)$/,
  // One emoji.
  / emoji$/,
  / device\.(id|name)$/,
  / (category|language|type|kind|action_id|action\.kind|action\.action_id)$/,
  // Administrators must read what was done to someone in the words that were used.
  /\/report(s)? (reason|details)$/,
  /\/appeal text$/,
  // What may not be said: only those who run the room see it.
  /^PUT \/rooms\/:id\/rules (words|allow)$/,
  // Proofs of what was bought at a store.
  /^POST \/payments\/(apple|google|restore|webhook\/apple) /,
  // Where a payout goes: sealed, and sent to its provider.
  /^POST \/payouts method\./,
  // The customer's own.
  /^POST \/users\/me\/(api-keys|webhooks) /,
];

type Described = Joi.Description & {
  readonly keys?: Readonly<Record<string, Described>>;
  readonly items?: readonly Described[];
  readonly matches?: readonly { readonly schema?: Described; readonly then?: Described }[];
  readonly rules?: readonly { readonly name: string }[];
};
const bound = new Set(["pattern", "guid", "isoDate", "uri", "email"]);

/** Returns the fields in which anything can be written. */
function textsIn(schema: Described | undefined, path = ""): string[] {
  if (!schema) return [];
  const { type, flags, rules = [], keys = {}, items = [], matches = [] } = schema;
  const isFree =
    type === "string" && !(flags as { only?: boolean })?.only && !rules.some(({ name }) => bound.has(name));
  return [
    ...(isFree ? [path] : []),
    ...Object.entries(keys).flatMap(([name, field]) => textsIn(field, path ? `${path}.${name}` : name)),
    ...items.flatMap((item) => textsIn(item, path)),
    ...matches.flatMap((match) => [...textsIn(match.schema, path), ...textsIn(match.then, path)]),
  ];
}

describe("the places of texts", () => {
  it("are named for everything that users can write", () => {
    const bodies = apiRoutes({ actors: noEngine }).flatMap(({ method, path, body }) =>
      textsIn(body?.describe() as Described).map((field) => `${method.toUpperCase()} ${path} ${field}`),
    );
    const payloads = Object.entries({ ...voiceActions, ...chatActions, ...userActions }).flatMap(([action, spec]) =>
      textsIn(spec.payload.describe() as Described).map((field) => `${action} ${field}`),
    );
    const texts = [...new Set([...bodies, ...payloads])];
    const named = (text: string) => placeOf[text] ?? placeOf[text.split(" ").at(-1)!];
    const nowhere = texts.filter((text) => !named(text) && !unread.some((pattern) => pattern.test(text)));
    expect(nowhere, "name their place in this test, and check them there").to.deep.equal([]);
    const used = Object.keys(placeOf).filter((name) =>
      texts.some((text) => text === name || text.endsWith(` ${name}`)),
    );
    expect(used).to.have.members(Object.keys(placeOf));
    const files: PlaceName[] = ["picture", "audio"];
    expect([...new Set([...Object.values(placeOf), ...files])]).to.have.members(Object.keys(places));
  });
});
