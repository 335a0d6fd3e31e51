import { pendingDeletion } from "#shared/contracts/views.ts";
import { requestDeletion } from "#shared/domain/operations/deletion/request-deletion.ts";
import { type Route, route } from "../../../http/route.ts";

export const deletionRoutes = (): Route[] => [
  route({
    id: "requestAccountDeletion",
    method: "post",
    path: "/account/delete-request",
    tag: "Account",
    summary: "Request account deletion",
    description:
      "Ends all your sessions and hides you from other users immediately: your profile isn't found, and no list of users, rooms, or posts includes you. Your messages and rooms, and what others received from you or played with you, stay for 14 days. After that, everything you wrote and your personal data are erased, and your rooms are closed. Coins, payments, and gifts stay in the books under an anonymous ID. Logging in within the 14 days cancels the deletion.",
    auth: "user",
    rateLimit: { points: 5, seconds: 3600, by: "user" },
    response: pendingDeletion,
    handler: ({ caller }) => requestDeletion(caller),
  }),
];
