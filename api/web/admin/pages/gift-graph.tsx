import { Badge, Group, Stack, Text } from "@mantine/core";
import { useId } from "react";
import type { GiftGraph } from "../../../../shared/client/admin.ts";
import { useApi } from "../api.ts";
import { useRead } from "../data.ts";
import { useAddress } from "../parts/address.ts";
import { Async } from "../parts/async.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { formatCompact, formatNumber } from "../parts/format.ts";
import { Named } from "../parts/named.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Nothing, Section } from "../parts/section.tsx";
import { Filters } from "../resources/filters.tsx";
import { Paging } from "../resources/paging.tsx";
import { labelOf, t } from "../texts.ts";
import "./pages.css";

/** Circles of gifts, and accounts of one device or network that give each other some, drawn as graphs. */
export default function GiftGraphs() {
  const [query, change] = useAddress();
  const read = useApi().operations.find(({ id }) => id === "listGiftGraphs")!;
  const graphs = useRead("listGiftGraphs", { query: { limit: 10, ...query } });
  return (
    <>
      <PageTitle title={t("circles.title")} lead={t("circles.lead")} />
      <Filters read={read} query={query} change={change} />
      <Async of={graphs}>
        {(list) => (
          <Stack>
            {list.items.length === 0 && <Nothing />}
            {list.items.map((graph) => (
              <Graph key={graph.circle} of={graph} />
            ))}
            <Paging list={list} query={query} change={change} />
          </Stack>
        )}
      </Async>
    </>
  );
}

type Edge = GiftGraph["edges"][number];

const Graph = ({ of: graph }: { readonly of: GiftGraph }) => {
  const { circle, coins, nodes, edges, left_out } = graph;
  const title = t("circles.circle", { number: formatNumber(circle) });
  return (
    <Section title={title} count={nodes.length}>
      <Text size="sm" c="dimmed">
        {t("circles.coins", { value: formatNumber(coins) })}
        {left_out > 0 && ` · ${t("circles.left_out", { value: formatNumber(left_out) })}`}
      </Text>
      <Drawing of={graph} />
      <DataTable
        label={title}
        rows={edges}
        keyOf={({ from_id, to_id }) => from_id + to_id}
        columns={[
          { name: "from", label: labelOf("fields", "from"), cell: (edge) => <Named type="user" id={edge.from_id} /> },
          { name: "to", label: labelOf("fields", "to"), cell: (edge) => <Named type="user" id={edge.to_id} /> },
          ...(["coins", "bought", "gifts"] as const).map((name) => ({
            name,
            label: labelOf("fields", name),
            cell: (edge: Edge) => formatNumber(edge[name]),
          })),
          { name: "same", label: t("circles.same"), cell: (edge) => <Same of={edge} /> },
        ]}
      />
    </Section>
  );
};

const Same = ({ of: edge }: { readonly of: Edge }) => (
  <Group gap="xs">
    {(["same_device", "same_network"] as const)
      .filter((name) => edge[name])
      .map((name) => (
        <Badge key={name} variant="light" color="orange">
          {labelOf("fields", name)}
        </Badge>
      ))}
  </Group>
);

const [width, height] = [560, 360];

/** The accounts on a ring, with arrows for their gifts. The table below says the same to screen readers. */
function Drawing({ of: { nodes, edges } }: { readonly of: GiftGraph }) {
  const arrow = useId();
  const highest = Math.max(...edges.map(({ coins }) => coins));
  const places = new Map(
    nodes.map(({ id }, index) => {
      const angle = (2 * Math.PI * index) / nodes.length - Math.PI / 2;
      return [id, { x: width / 2 + Math.cos(angle) * 170, y: height / 2 + Math.sin(angle) * 130 }];
    }),
  );
  return (
    <svg className="gift-graph" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <marker
        id={arrow}
        viewBox="0 0 8 8"
        refX="8"
        refY="4"
        markerWidth="8"
        markerHeight="8"
        markerUnits="userSpaceOnUse"
        orient="auto"
      >
        <path d="M0 0 8 4 0 8z" />
      </marker>
      {edges.map((edge) => (
        <path
          key={edge.from_id + edge.to_id}
          d={curveOf(places.get(edge.from_id)!, places.get(edge.to_id)!)}
          className={edge.same_device || edge.same_network ? "edge same" : "edge"}
          strokeWidth={1 + (3 * edge.coins) / highest}
          markerEnd={`url(#${arrow})`}
        >
          <title>{`${edge.from} → ${edge.to}: ${formatNumber(edge.coins)}`}</title>
        </path>
      ))}
      {nodes.map(({ id, username, received }) => {
        const { x, y } = places.get(id)!;
        return (
          <g key={id}>
            <circle cx={x} cy={y} r="7" />
            <text x={x} y={y + (y < height / 2 ? -14 : 24)} textAnchor="middle">
              {`${username} · ${formatCompact(received)}`}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** An arc from one account to another, which leaves room for the arc back. */
function curveOf(from: Point, to: Point): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const middle = { x: (from.x + to.x) / 2 - dy * 0.12, y: (from.y + to.y) / 2 + dx * 0.12 };
  const end = { x: to.x - (dx / length) * 11, y: to.y - (dy / length) * 11 };
  return `M${from.x} ${from.y}Q${middle.x} ${middle.y} ${end.x} ${end.y}`;
}
