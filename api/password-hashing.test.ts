import { expect } from "chai";
import type Joi from "joi";
import { clientEvents } from "#shared/contracts/client-events.ts";
import { hashPassword } from "#shared/domain/identity/accounts/password.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { socialApi } from "./social-api.ts";

/** A password can only be hashed where one is taken in. */
const takesPassword = (schema: Joi.Schema | undefined): boolean =>
  schema !== undefined && /"[^"]*password[^"]*":\{/i.test(JSON.stringify(schema.describe()));

/**
 * Events that take a password: wrong ones are limited for each user over all events and routes (`password-tries.ts`).
 */
const limitedEvents = ["room:join"];

describe("hashing passwords", () => {
  const service = useService();

  it("has a limit of its own on each route that takes a password", () => {
    const routes = socialApi({ actors: noEngine }).routes.filter(({ body }) => takesPassword(body));
    expect(routes.map(({ id }) => id)).to.include.members(["logIn", "createRoom", "updateRoom", "joinRoom"]);
    expect(routes.filter(({ rateLimit }) => !rateLimit).map(({ id }) => id)).to.deep.equal([]);
  });

  it("has a limit of its own for each event that takes a password", () => {
    const events = Object.entries(clientEvents).filter(([, { payload }]) => takesPassword(payload));
    expect(events.map(([event]) => event)).to.deep.equal(limitedEvents);
  });

  it("lets correct logins pass while 48 room passwords are set at once", async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => buildUser()));
    const crowd = Promise.allSettled(Array.from({ length: 48 }, () => hashPassword("open sesame")));
    const logins = await Promise.all(
      people.map(({ username: identifier, password }) =>
        service.call("post", "/auth/login", { body: { identifier, password } }),
      ),
    );
    expect(logins.map(({ status }) => status)).to.deep.equal(people.map(() => 200));
    await crowd;
  });
});
