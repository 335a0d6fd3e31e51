import { exampleIds } from "#shared/contracts/examples.ts";
import { id, listOf, object } from "#shared/contracts/fields.ts";
import { appealText, heldThing, removal, sanction, terms, termsVersion } from "#shared/contracts/views.ts";
import { acceptTerms, getTerms } from "#shared/domain/identity/accounts/accept-terms.ts";
import { acknowledgeSanction, appealSanction } from "#shared/domain/identity/sanctions/appeals.ts";
import { listOwnSanctions } from "#shared/domain/identity/sanctions/sanctions.queries.ts";
import { appealRemoval } from "#shared/domain/operations/appeals/appeal-removal.ts";
import { listOwnHeld } from "#shared/domain/operations/review-queue/review-queue.queries.ts";
import { listOwnRemovals } from "#shared/domain/social/removals/removals.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import { appealBody } from "./sanctions.schemas.ts";

const route = routeOf("Account", "user");

export const sanctionsRoutes = (): Route[] => [
  route({
    id: "getTerms",
    method: "get",
    path: "/users/me/terms",
    extension: true,
    summary: "Get the terms",
    description: "The version of the terms that holds, and the one that you accepted last.",
    response: terms,
    handler: ({ caller }) => getTerms(caller),
  }),
  route({
    id: "acceptTerms",
    method: "post",
    path: "/users/me/terms",
    extension: true,
    summary: "Accept the terms",
    description:
      "Until you have accepted the version that holds, other calls and connections fail with `TERMS_NOT_ACCEPTED`.",
    body: object({ version: termsVersion() }).meta({ name: "AcceptTermsBody" }),
    response: terms,
    errors: ["CONFLICT"],
    handler: ({ caller, body }) => acceptTerms(caller, body.version),
  }),
  route({
    id: "listOwnSanctions",
    method: "get",
    path: "/users/me/sanctions",
    extension: true,
    summary: "List your sanctions",
    description:
      "What was taken from you, why, and until when, and warnings, which have no `kinds`; the latest first, with your appeals.",
    response: listOf(sanction),
    handler: ({ caller }) => listOwnSanctions(caller),
  }),
  route({
    id: "acknowledgeSanction",
    method: "post",
    path: "/users/me/sanctions/:id/acknowledge",
    blocks: "none",
    extension: true,
    summary: "Acknowledge a sanction",
    description: "Notes that you have seen it, such as a warning. The first time counts.",
    params: object({ id: id(exampleIds.sanction) }),
    response: sanction,
    handler: ({ caller, params }) => acknowledgeSanction(caller, params.id),
  }),
  route({
    id: "listOwnRemovals",
    method: "get",
    path: "/users/me/removals",
    extension: true,
    summary: "List your removals",
    description: "What you wrote that was removed, or refused by a review, the latest first, with your appeals.",
    response: listOf(removal),
    handler: ({ caller }) => listOwnRemovals(caller),
  }),
  route({
    id: "appealRemoval",
    method: "post",
    path: "/users/me/removals/:id/appeal",
    blocks: "none",
    extension: true,
    summary: "Appeal a removal",
    description:
      "Once for each removal, within 30 days. Another administrator decides, and you see why. If you are right, it comes back as it was.",
    rateLimit: { points: 10, seconds: 3600, by: "user" },
    params: object({ id: id(exampleIds.removal) }),
    body: object({ text: appealText() }).meta({ name: "AppealRemovalBody" }),
    status: 201,
    response: removal,
    errors: ["CONFLICT"],
    handler: ({ caller, params, body }) => appealRemoval(caller, params.id, body.text),
  }),
  route({
    id: "listOwnHeldContent",
    method: "get",
    path: "/users/me/held",
    extension: true,
    summary: "List what is held",
    description:
      "What you wrote that others don't see before it has been reviewed, and what became of it; the latest first.",
    response: listOf(heldThing),
    handler: ({ caller }) => listOwnHeld(caller),
  }),
  route({
    id: "appealSanction",
    method: "post",
    path: "/users/me/sanctions/:id/appeal",
    blocks: "none",
    extension: true,
    summary: "Appeal a sanction",
    description: "Once for each sanction, while it holds. Another administrator decides, and you see why.",
    rateLimit: { points: 10, seconds: 3600, by: "user" },
    params: object({ id: id(exampleIds.sanction) }),
    body: appealBody,
    status: 201,
    response: sanction,
    errors: ["CONFLICT"],
    handler: ({ caller, params, body }) => appealSanction(caller, params.id, body.text),
  }),
];
