/** Everything that an extension may import. */
export { default as Joi } from "joi";
export { exampleIds } from "#shared/contracts/examples.ts";
export * from "#shared/contracts/fields.ts";
export type { AdminPrincipal, Principal, UserPrincipal } from "#shared/contracts/principal.ts";
export { userCard } from "#shared/contracts/views/user-views.ts";
export { drawOf, hashSeed, newSeed } from "#shared/kernel/draw.ts";
export * from "./budget.ts";
export * from "./define.ts";
export {
  type Chance,
  defineGame,
  illegal,
  notYourTurn,
  placesByScore,
  type Random,
  type RulesOf,
  rollDie,
  type Standing,
  shuffle,
} from "./game.ts";
export type { ExtensionTransfer, GiftTotals, Hub, HubTx, LobbyOfHub, SentGift } from "./hub.ts";
export { roomEvents } from "./room-events.ts";
export { adminRoute, type ExtensionCall, type ExtensionRoute, userRoute } from "./routes.ts";
export {
  defineWorkload,
  type Workload,
  type WorkloadAnswer,
  type WorkloadDesk,
  type WorkloadPerson,
} from "./workload.ts";
