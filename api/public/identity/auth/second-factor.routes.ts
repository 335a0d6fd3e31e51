import { empty } from "#shared/contracts/fields.ts";
import { ownRecoveryCodes, secondFactor, secondFactorSetup } from "#shared/contracts/views.ts";
import {
  confirmOwnFactor,
  disableOwnFactor,
  enrollOwnFactor,
  getSecondFactor,
} from "#shared/domain/identity/accounts/own-second-factor.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import * as schemas from "./auth.schemas.ts";

const route = routeOf("Auth", "user");
const codeLimit = { points: 10, seconds: 600, by: "user" } as const;

export const secondFactorRoutes = (): Route[] => [
  route({
    id: "getSecondFactor",
    method: "get",
    path: "/users/me/second-factor",
    summary: "Get your second factor",
    extension: true,
    response: secondFactor,
    handler: ({ caller }) => getSecondFactor(caller),
  }),
  route({
    id: "enrollSecondFactor",
    method: "post",
    path: "/users/me/second-factor",
    summary: "Set up a second factor",
    description:
      "Returns a secret for an authenticator app (TOTP). It takes effect when a code confirms it. Requires your password, which a stolen token doesn't contain.",
    extension: true,
    rateLimit: codeLimit,
    body: schemas.enrollFactorBody,
    response: secondFactorSetup,
    errors: ["INVALID_CREDENTIALS", "CONFLICT"],
    handler: ({ caller, body, ip }) => enrollOwnFactor(caller, body.password, ip),
  }),
  route({
    id: "confirmSecondFactor",
    method: "post",
    path: "/users/me/second-factor/confirm",
    summary: "Confirm a second factor",
    description:
      "From then on, logging in with your password requires a code; other ways to log in don't. Returns recovery codes, which work once each if you lose your phone.",
    extension: true,
    rateLimit: codeLimit,
    body: schemas.factorCodeBody,
    response: ownRecoveryCodes,
    errors: ["CODE_INVALID", "CONFLICT"],
    handler: ({ caller, body }) => confirmOwnFactor(caller, body.code),
  }),
  route({
    id: "disableSecondFactor",
    method: "post",
    path: "/users/me/second-factor/disable",
    summary: "Disable your second factor",
    description: "From then on, your password alone logs you in. Your recovery codes stop working.",
    extension: true,
    rateLimit: codeLimit,
    body: schemas.factorCodeBody,
    response: empty,
    errors: ["CODE_INVALID"],
    handler: ({ caller, body }) => disableOwnFactor(caller, body.code),
  }),
];
