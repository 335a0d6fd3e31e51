import { type EventHandler, type Hub, type HubTx, id, object, type Parts, userRoute } from "#shared/extension/index.ts";

/** Players put up ten coins each before the race. The first gets all; if the race fails, each gets their own. */
const stake = 10;

interface Finished {
  readonly lobby_id: string;
  readonly status: string;
  readonly standings: readonly { readonly user_id: string; readonly place: number | null }[];
}

export const stakeRoute = (hub: Hub) =>
  userRoute({
    id: "stakeEveryPart",
    method: "post",
    path: "/every-part/stakes",
    summary: "Put up coins",
    body: object({ lobby_id: id() }).meta({ name: "StakeEveryPartBody" }),
    response: object({}),
    status: 201,
    errors: ["INSUFFICIENT_BALANCE"],
    handler: ({ caller, body }) =>
      hub.transaction(async (tx) => {
        const row = hub.newId();
        await tx.query("INSERT INTO ext_every_part.stakes (id, lobby_id, user_id, coins) VALUES ($1, $2, $3, $4)", [
          ...[row, body.lobby_id, caller.userId, stake],
        ]);
        await tx.transfer({
          ...{ cause: "stake", id: row, by: caller, description: "Stake" },
          entries: [
            { account: { userId: caller.userId }, amount: -stake },
            { account: "own", amount: stake },
          ],
        });
        return {};
      }),
  });

async function settle(hub: Hub, tx: HubTx, { lobby_id, status, standings }: Finished): Promise<void> {
  const stakes = await tx.query<{ id: string; user_id: string }>(
    "SELECT id, user_id FROM ext_every_part.stakes WHERE lobby_id = $1 AND paid_to IS NULL FOR UPDATE",
    [lobby_id],
  );
  const winner = status === "finished" ? standings.find(({ place }) => place === 1)?.user_id : undefined;
  for (const { id: row, user_id } of stakes) {
    const to = winner ?? user_id;
    await tx.query("UPDATE ext_every_part.stakes SET paid_to = $2 WHERE id = $1", [row, to]);
    await tx.transfer({
      ...{ cause: "settled", id: row, by: { kind: "service" }, description: "Stake" },
      entries: [
        { account: "own", amount: -stake },
        { account: { userId: to }, amount: stake },
      ],
    });
  }
  hub.log("stakes are settled", { lobby_id });
}

export const stakes = (hub: Hub): Pick<Parts, "causes"> & { readonly settle: Record<string, EventHandler> } => ({
  causes: {
    stake: {
      title: "Stake",
      entries: `SELECT id, account, amount FROM ext_every_part.stakes
        CROSS JOIN LATERAL (VALUES (user_id::text, -coins), ('ext_every_part', coins)) AS e (account, amount)`,
    },
    settled: {
      title: "Settled stake",
      entries: `SELECT id, account, amount FROM ext_every_part.stakes
        CROSS JOIN LATERAL (VALUES (paid_to::text, coins), ('ext_every_part', -coins)) AS e (account, amount)
        WHERE paid_to IS NOT NULL`,
    },
  },
  settle: {
    "game.finished": async (tx, events) => {
      for (const event of events as unknown as Finished[]) await settle(hub, tx, event);
    },
    "lobby.updated": async (tx, events) => {
      for (const { lobby_id } of events as unknown as Pick<Finished, "lobby_id">[])
        if ((await hub.lobby(lobby_id))?.status === "cancelled")
          await settle(hub, tx, { lobby_id, status: "abandoned", standings: [] });
    },
  },
});
