import { expect, useHouse } from "#shared/extension/testing.ts";

describe("my-app", function () {
  this.timeout(60_000);
  const house = useHouse(import.meta.url);

  it("counts hellos, up to the setting", async () => {
    const ada = await house.register();
    await house.admin("patch", "/settings", { my_app_most: 2 });
    const answers = [];
    for (let time = 0; time < 3; time += 1) answers.push(await house.call("post", "/my-app/hellos", ada));
    expect(answers.map(({ body }) => body.data?.hellos ?? body.error.code)).to.deep.equal([1, 2, "MY_APP_ENOUGH"]);
  });

  it("is for those who have logged in", async () => {
    expect((await house.call("post", "/my-app/hellos")).status).to.equal(401);
  });
});
