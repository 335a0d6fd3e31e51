import { expect } from "chai";
import { useService } from "#shared/testing/service.ts";

/** A beginning of a path for each door of the port, and what isn't percent-encoded UTF-8. */
const doors = [
  "/",
  "/api/v1/rooms/",
  "/api/v1/admin/users/",
  "/docs/",
  "/dev/",
  "/reset-password/",
  "/socket.io/",
  "/matchmake/",
  "/matchmake/join/",
  "/matchmake/joinOrCreate/",
  "/matchmake/joinById/",
  "/matchmake/reconnect/",
  "/matchmake/create/",
];
const malformed = ["%", "%zz", "%E0%A4%A", "%FF"];
/** Some code runs only when a body has been read, where an exception would end the process. */
const requests: Record<string, RequestInit> = {
  "without a body": { method: "GET" },
  "with an empty body": { method: "POST" },
  "with a body": { method: "POST", body: "{}", headers: { "content-type": "application/json" } },
};

describe("malformed paths", () => {
  const service = useService();

  for (const door of doors)
    it(`${door} answers with an error of the client`, async () => {
      for (const segment of malformed)
        for (const [name, init] of Object.entries(requests)) {
          const { status } = await fetch(`${service.url}${door}${segment}`, init);
          expect(status, `${segment} ${name}`).to.be.within(400, 499);
        }
    });
});
