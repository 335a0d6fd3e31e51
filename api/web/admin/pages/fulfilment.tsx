import { Anchor, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { useCan } from "../account.tsx";
import { type DataOf, useRead, useWrite } from "../data.ts";
import { Async } from "../parts/async.tsx";
import { useConfirm } from "../parts/confirm.tsx";
import { formatNumber, formatTime } from "../parts/format.ts";
import { Named } from "../parts/named.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Nothing, Rows, Section } from "../parts/section.tsx";
import { toast } from "../parts/toast.ts";
import { t, titleOf } from "../texts.ts";
import "./pages.css";

const often = 15_000;

/** The catalogue at a glance: orders that need an administrator, cards that run out, and campaigns. */
export default function Fulfilment() {
  const can = useCan();
  return (
    <>
      <PageTitle title={t("fulfilment.title")} lead={t("fulfilment.lead")} />
      <div className="columns">
        <Stack>
          <OrderList title={t("fulfilment.problems")} query={{ has_problem: true }} />
          <OrderList title={t("fulfilment.processing")} query={{ status: "processing" }} />
          <OrderList title={t("fulfilment.placed")} query={{ status: "placed" }} />
        </Stack>
        <Stack>
          {can("catalogue_codes.read") && <Stock />}
          {can("catalogue_campaigns.read") && <Campaigns />}
          <Section title={t("fulfilment.products")}>
            <Group gap="xs">
              {products
                .filter(([, permission]) => can(permission))
                .map(([path]) => (
                  <Button key={path} component={Link} href={path} variant="default" size="xs">
                    {titleOf(path)}
                  </Button>
                ))}
            </Group>
          </Section>
        </Stack>
      </div>
    </>
  );
}

const products = [
  ["/catalogue/top-ups", "catalogue_top_ups.read"],
  ["/catalogue/services", "catalogue_services.read"],
  ["/catalogue/cards", "catalogue_cards.read"],
  ["/catalogue/card-services", "catalogue_card_services.read"],
  ["/catalogue/campaigns", "catalogue_campaigns.read"],
  ["/catalogue/categories", "catalogue_categories.read"],
  ["/catalogue/gateways", "catalogue_gateways.read"],
  ["/catalogue/reviews", "catalogue_reviews.read"],
  ["/catalogue/balances", "catalogue_balances.read"],
] as const;

interface OrderListProps {
  readonly title: string;
  readonly query: { readonly has_problem?: true; readonly status?: "placed" | "processing" };
}

function OrderList({ title, query }: OrderListProps) {
  const orders = useRead(
    "listCatalogueOrders",
    { query: { ...query, sort: "created_at", limit: 5 } },
    { refetchInterval: often },
  );
  const all = `/catalogue/orders?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`;
  return (
    <Section title={title} count={orders.data?.total} all={all}>
      <Async of={orders}>
        {({ items }) => (
          <Rows
            rows={items}
            id={({ id }) => id}
            main={({ id, service_name, user_id, created_at, problem }) => (
              <>
                <Named type="catalogue_order" id={id} /> · {service_name} · <Named type="user" id={user_id} />
                <Text size="xs" c="dimmed">
                  #{id} · {formatTime(created_at)}
                  {problem && ` · ${problem}`}
                </Text>
              </>
            )}
            side={({ total, currency }) => `${total} ${currency}`}
          />
        )}
      </Async>
    </Section>
  );
}

function Stock() {
  const stock = useRead("listCodeStock", { query: { limit: 50 } });
  const can = useCan();
  return (
    <Section title={t("fulfilment.stock")} count={stock.data?.total} all="/catalogue/code-stock">
      <Async of={stock}>
        {({ items }) => (
          <Rows
            rows={items}
            id={({ id }) => id}
            main={({ id, card_name, service_name, available, reserved, is_low }) => (
              <>
                {can("catalogue_codes.write") ? (
                  <Anchor component={Link} href={`/catalogue/card-services/${id}/codes`} size="sm" underline="always">
                    {`${card_name}, ${service_name}`}
                  </Anchor>
                ) : (
                  `${card_name}, ${service_name}`
                )}
                <Text size="xs" c="dimmed">
                  {t("fulfilment.codes", { count: available, reserved: formatNumber(reserved) })}
                </Text>
                {is_low && (
                  <Badge color="orange" variant="light">
                    {t("fulfilment.low")}
                  </Badge>
                )}
              </>
            )}
          />
        )}
      </Async>
    </Section>
  );
}

type Campaign = DataOf<"listCatalogueCampaigns">["items"][number];

const isRunning = ({ ended_at, starts_at, ends_at }: Campaign, now = Date.now()): boolean =>
  ended_at === null && Date.parse(starts_at) <= now && now < Date.parse(ends_at);

function Campaigns() {
  const campaigns = useRead("listCatalogueCampaigns", { query: { limit: 20 } });
  return (
    <Section title={t("fulfilment.campaigns")} all="/catalogue/campaigns">
      <Async of={campaigns}>
        {({ items }) => {
          const running = items.filter((campaign) => isRunning(campaign));
          return running.length === 0 ? (
            <Nothing />
          ) : (
            <Rows
              rows={running}
              id={({ id }) => id}
              main={({ id, offered_sell, max_sell, ends_at }) => (
                <>
                  <Named type="catalogue_campaign" id={id} />
                  <Text size="xs" c="dimmed">
                    {t("fulfilment.sold", { count: max_sell, sold: formatNumber(offered_sell) })} ·{" "}
                    {t("fulfilment.ends", { time: formatTime(ends_at) })}
                  </Text>
                </>
              )}
              side={(campaign) => <EndCampaign of={campaign} />}
            />
          );
        }}
      </Async>
    </Section>
  );
}

function EndCampaign({ of: { id, name } }: { readonly of: Campaign }) {
  const can = useCan();
  const confirm = useConfirm();
  const end = useWrite("endCatalogueCampaign");
  if (!can("catalogue_campaigns.write")) return null;
  const act = async () => {
    const title = t("fulfilment.end_campaign");
    const asked = await confirm({
      title,
      consequence: t("fulfilment.end_effect", { name }),
      action: title,
      isDanger: true,
    });
    if (!asked) return;
    await end.mutateAsync({ params: { id: String(id) } });
    toast.done(t("fulfilment.ended", { name }));
  };
  return (
    <Button size="compact-xs" variant="light" color="red" onClick={() => void act()}>
      {t("fulfilment.end_campaign")}
    </Button>
  );
}
