import { defineExtension, integer, object, userRoute } from "#shared/extension/index.ts";

/** Each user can say hello, and sees how often anyone has. */
export default defineExtension("my_app", (hub) => ({
  summary: "Counts hellos.",
  settings: {
    my_app_most: { schema: integer(1, 1000, 3), fallback: 3, description: "How often a user can say hello." },
  },
  errors: {
    MY_APP_ENOUGH: { status: 409, meaning: "You have said hello often enough.", remedy: "Listen to the others." },
  },
  routes: [
    userRoute({
      id: "sayMyAppHello",
      method: "post",
      path: "/my-app/hellos",
      summary: "Say hello",
      response: object({ hellos: integer(0, 1_000_000, 7) }),
      status: 201,
      errors: ["MY_APP_ENOUGH"],
      handler: ({ caller }) =>
        hub.transaction(async (tx) => {
          // The row is locked until the commit, so a user's calls take turns.
          const [own] = await tx.query<{ said: number }>(
            `INSERT INTO ext_my_app.hellos (user_id, said) VALUES ($1, 1)
             ON CONFLICT (user_id) DO UPDATE SET said = hellos.said + 1 RETURNING said`,
            [caller.userId],
          );
          if (own!.said > hub.setting<number>("my_app_most")) throw hub.error("MY_APP_ENOUGH");
          const [all] = await tx.query<{ hellos: number }>("SELECT sum(said) AS hellos FROM ext_my_app.hellos");
          return { hellos: Number(all!.hellos) };
        }),
    }),
  ],
  erase: async (tx, userId) =>
    (await tx.query("DELETE FROM ext_my_app.hellos WHERE user_id = $1 RETURNING 1", [userId])).length,
}));
