import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { clock } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { useClock } from "#shared/testing/use-clock.ts";

const hourMs = 3_600_000;

describe("GET /events", () => {
  const service = useService();
  const time = useClock();

  /** A campaign from `from` to `to` hours from now. */
  const build = async (from: number, to: number) => {
    const at = (hours: number) => new Date(clock.now() + hours * hourMs).toISOString();
    const [id, link, starts_at, ends_at] = [newId(), "https://example.com/diwali", at(from), at(to)];
    await query(
      `INSERT INTO campaigns (id, title, description, link, starts_at, ends_at)
       VALUES ($1, 'Diwali', 'Lights', $2, $3, $4)`,
      [id, link, starts_at, ends_at],
    );
    return { id, title: "Diwali", description: "Lights", image_url: null, link, starts_at, ends_at };
  };

  it("lists the active campaigns, the one that ends first at the top", async () => {
    const { token } = await buildUser();
    const [long, short, over, next] = [await build(-1, 5), await build(-2, 1), await build(-2, -1), await build(3, 9)];
    const listed = async (): Promise<{ id: string }[]> => {
      const { status, body } = await service.call("get", "/events", { token });
      expect(status).to.equal(200);
      const mine = [long.id, short.id, over.id, next.id];
      return body.data.filter(({ id }: { id: string }) => mine.includes(id));
    };
    expect(await listed()).to.deep.equal([short, long]);
    time.forward(4 * hourMs);
    expect((await listed()).map(({ id }) => id)).to.deep.equal([long.id, next.id]);
  });

  it("rejects a campaign that ends before it begins", async () => {
    const failure = await build(2, 1).catch((error: unknown) => error);
    expect(failure).to.have.property("constraint", "campaigns_end_after_start");
  });
});
