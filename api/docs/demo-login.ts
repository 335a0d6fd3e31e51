import express, { Router } from "express";
import { checkInput } from "#shared/contracts/check-input.ts";
import { exampleToken } from "#shared/contracts/examples.ts";
import { object, oneOf } from "#shared/contracts/fields.ts";
import { demoCallers, idsOfExamples, logInDemo } from "#shared/domain/operations/demo/demo-login.ts";
import { callerAddress } from "../http/caller-address.ts";
import { type Locals, sendJson } from "../http/respond.ts";
import { userAgentOf } from "../http/route.ts";

const body = object({ as: oneOf(...demoCallers) }).required();

/**
 * Returns a router whose `POST /login` (below `/dev`) logs a demo caller in, for the pages of documents. The response
 * has a token and, by the IDs and the token in the examples, the IDs of this database and that token. For development
 * only, never in production.
 */
export function demoLogin(): Router {
  const router = Router();
  router.post("/login", express.json({ limit: "1kb" }), async (req, res) => {
    const locals = res.locals as Locals;
    locals.route = "/dev/login";
    const { as } = checkInput(body, req.body ?? {});
    const token = await logInDemo(as, {
      ip: callerAddress(req),
      userAgent: userAgentOf(req),
      requestId: locals.requestId,
    });
    sendJson(res, 200, {
      success: true,
      data: { token, examples: { ...(await idsOfExamples()), [exampleToken]: token } },
    });
  });
  return router;
}
