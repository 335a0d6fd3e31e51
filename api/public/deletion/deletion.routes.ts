import { requestDeletion } from "#shared/domain/deletion/request-deletion.ts";
import { type Route, route } from "../../http/route.ts";
import { pendingDeletion } from "./deletion.schemas.ts";

export const deletionRoutes = (): Route[] => [
  route({
    method: "post",
    path: "/account/delete-request",
    tag: "Account",
    summary: "Ask for your account to be deleted",
    description:
      "Your sessions end, and for others you are gone: your profile is not found, and you are in no list. Messages that you wrote to others stay until then, and so do your rooms. After 14 days everything that you have written and told about yourself is erased, and your rooms are closed; your coins, payments and gifts stay in the books under an id that says nothing. Logging in before that takes it back.",
    auth: "user",
    rateLimit: { points: 5, seconds: 3600, by: "user" },
    response: pendingDeletion,
    handler: ({ caller }) => requestDeletion(caller),
  }),
];
