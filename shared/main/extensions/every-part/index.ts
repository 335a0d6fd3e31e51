import {
  adminRoute,
  defineExtension,
  exampleIds,
  type Hooked,
  type Hub,
  id,
  integer,
  line,
  listOf,
  object,
  type Parts,
  userRoute,
} from "#shared/extension/index.ts";
import { isolatedRace } from "./race.ts";
import { stakeRoute, stakes } from "./stakes.ts";

const knocked = { room_id: id(exampleIds.room), user_id: id() };
const bodyOf = ({ input }: Hooked): string => String((input.body as { body?: string } | undefined)?.body ?? input.body);

const hooks = (hub: Hub): Pick<Parts, "before" | "after"> => ({
  before: {
    actions: {
      "room:message": {
        failure: "open",
        deadlineMs: 50,
        run: (hooked) => {
          const body = bodyOf(hooked);
          if (body === hub.setting("every_part_word")) throw hub.error("EVERY_PART_NO_TEA");
          if (body === "milk") return { body: "oat milk" };
          if (body === "nonsense") return { body: 7 };
          if (body === "throw") throw new Error("out of cups");
          if (body === "slow") return new Promise(() => undefined);
          return undefined;
        },
      },
    },
    operations: { createRoom: { failure: "closed", run: () => undefined } },
  },
  after: {
    operations: {
      createRoom: async ({ result }) => {
        await hub.transaction((tx) =>
          tx.query("INSERT INTO ext_every_part.seen VALUES ('created', $1)", [(result as { id: string }).id]),
        );
      },
    },
    actions: {
      "room:message": async ({ input }) => {
        await hub.transaction((tx) => tx.query("INSERT INTO ext_every_part.seen VALUES ('said', $1)", [input.room_id]));
      },
    },
    events: {
      "room.opened": async (tx, events) => {
        for (const { room_id } of events)
          await tx.query("INSERT INTO ext_every_part.seen VALUES ('opened', $1)", [room_id]);
      },
      ...stakes(hub).settle,
    },
    // Stakes are paid, or given back.
    whileOff: ["game.finished", "lobby.updated"],
  },
});

const actions: Pick<Parts, "actions"> = {
  actions: {
    "every_part:knock": {
      payload: object({ room_id: id(exampleIds.room) }),
      reply: object({ members: integer(0, 10_000, 2) }),
      by: "members",
      summary: "Knock on the table",
      decide: (room, { caller }) => ({
        write: async (tx) => {
          await tx.query("INSERT INTO ext_every_part.seen VALUES ('knocked', $1)", [room.id]);
        },
        events: [{ event: "every_part:knocked", payload: { room_id: room.id, user_id: caller.userId } }],
        reply: () => ({ members: room.memberIds.length }),
      }),
    },
  },
};

const routes = (hub: Hub) => [
  stakeRoute(hub),
  userRoute({
    id: "listEveryPartNotes",
    method: "get",
    path: "/every-part/notes",
    summary: "List notes",
    response: listOf(object({ title: line(1, 60, "Tea") })),
    handler: () => hub.query<{ title: string }>("SELECT title FROM ext_every_part.every_part_notes ORDER BY title"),
  }),
  userRoute({
    id: "writeEveryPartNote",
    method: "post",
    path: "/every-part/notes",
    summary: "Write a note",
    body: object({ title: line(1, 60, "Tea") }).meta({ name: "WriteEveryPartNoteBody" }),
    response: object({}),
    status: 201,
    handler: ({ caller, body }) =>
      hub.transaction(async (tx) => {
        await tx.enqueue("note", body);
        await tx.query("INSERT INTO ext_every_part.authors VALUES ($1, $2)", [caller.userId, body.title]);
        await tx.notify(caller.userId, { key: body.title, title: "There is no tea.", body: "There is no tea." });
        return {};
      }),
  }),
  userRoute({
    id: "spyEveryPart",
    method: "get",
    path: "/every-part/spy",
    summary: "Read what is others'",
    response: object({}),
    handler: async () => (await hub.query("SELECT id FROM users"))[0] ?? {},
  }),
  adminRoute({
    id: "clearEveryPartNotes",
    method: "delete",
    path: "/every-part/all-notes",
    summary: "Delete all notes",
    permission: "write",
    audit: { action: "every_part.clear", target: "every_part" },
    response: object({}),
    handler: ({ caller }) =>
      hub.transaction(async (tx) => {
        await tx.query("DELETE FROM ext_every_part.every_part_notes");
        await tx.audit(caller, { action: "every_part.clear", target: { type: "every_part", id: "all" } });
        return {};
      }),
  }),
];

/** An extension that has every part, for tests. */
export default defineExtension("every_part", (hub) => ({
  summary: "Has every part.",
  settings: {
    every_part_word: { schema: line(1, 20, "tea"), fallback: "tea", description: "What isn't said." },
  },
  errors: { EVERY_PART_NO_TEA: { status: 422, meaning: "There is no tea.", remedy: "Have coffee." } },
  texts: { es: { "There is no tea.": "No hay té." } },
  ...hooks(hub),
  ...actions,
  games: [isolatedRace],
  causes: stakes(hub).causes!,
  events: { "every_part:knocked": { payload: object(knocked), to: "everyone in the room", summary: "A user knocked" } },
  records: [
    {
      ...{ table: "every_part_notes", name: "every_part_note", one: "a gift", many: "gifts" },
      fields: {
        title: { column: "text", schema: line(1, 60, "Tea") },
        place: { column: "integer", schema: integer(0, 100, 1) },
      },
      ...{ defaults: { place: 0 }, search: ["title"], sorts: ["place"] },
    },
  ],
  jobs: {
    note: {
      run: async ({ title }: { title: string }) => {
        await hub.transaction((tx) =>
          tx.query("INSERT INTO ext_every_part.every_part_notes (id, title, place) VALUES ($1, $2, 3)", [
            hub.newId(),
            title,
          ]),
        );
      },
    },
  },
  routes: routes(hub),
  erase: async (tx, userId) =>
    (await tx.query("DELETE FROM ext_every_part.authors WHERE user_id = $1 RETURNING 1", [userId])).length,
  exports: { notes: "SELECT title FROM ext_every_part.authors WHERE user_id = $1" },
}));
