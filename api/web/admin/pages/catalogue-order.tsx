import { Alert, Badge, Button, Checkbox, Group, Paper, Stack, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useParams } from "wouter";
import { useCan } from "../account.tsx";
import { type DataOf, fieldErrors, useRead, useWrite } from "../data.ts";
import { Async } from "../parts/async.tsx";
import { useConfirm } from "../parts/confirm.tsx";
import { formatTime } from "../parts/format.ts";
import { Named } from "../parts/named.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Facts, Section } from "../parts/section.tsx";
import { toast } from "../parts/toast.ts";
import { labelOf, t } from "../texts.ts";
import "./pages.css";

type Order = DataOf<"getCatalogueOrder">;

const colors = { placed: "blue", processing: "violet", completed: "teal", cancelled: "red" } as const;
const isOpen = ({ status }: Order): boolean => status === "placed" || status === "processing";

/** An order of the catalogue: what was ordered, what became of it, and its fulfilment by hand. */
export default function CatalogueOrder() {
  const { id = "" } = useParams();
  const can = useCan();
  // Its provider, or another administrator, can complete it at any moment.
  const found = useRead("getCatalogueOrder", { params: { id } }, { refetchWhile: isOpen });
  return (
    <Async of={found}>
      {(order) => (
        <>
          <PageTitle
            title={t("order.title", { id: order.id })}
            lead={
              <Badge variant="light" color={colors[order.status]}>
                {labelOf("values", order.status)}
              </Badge>
            }
          />
          <Stack>
            {order.problem && (
              <Alert color="orange" title={t("order.problem")}>
                {order.problem}
              </Alert>
            )}
            <div className="columns">
              <Ordered of={order} />
              <Delivery of={order} />
              {isOpen(order) && can("catalogue_orders.write") && <Fulfil key={order.version} of={order} />}
            </div>
          </Stack>
        </>
      )}
    </Async>
  );
}

const Ordered = ({ of: order }: { readonly of: Order }) => (
  <Section title={t("order.ordered")}>
    <Facts
      of={[
        [
          t("order.product"),
          order.card_id === null ? (
            <Named key="product" type="catalogue_top_up" id={order.top_up_id ?? 0} />
          ) : (
            <Named key="product" type="catalogue_card" id={order.card_id} />
          ),
        ],
        [t("order.service"), order.service_name],
        [t("order.buyer"), <Named key="buyer" type="user" id={order.user_id} />],
        [t("order.total"), `${order.total} ${order.currency}`],
        [t("order.payment"), labelOf("values", order.payment)],
        [t("order.placed_at"), formatTime(order.created_at)],
        ...order.order_information.map(
          ({ field_value, value }) => [field_value, <b key={field_value}>{value}</b>] as const,
        ),
      ]}
    />
  </Section>
);

const Delivery = ({ of: order }: { readonly of: Order }) => (
  <Section title={t("order.delivery")}>
    <Facts
      of={[
        [t("order.provider"), order.provider ?? t("order.by_hand")],
        [t("order.tries"), order.tries],
        ...(order.next_try_at ? ([[t("order.next_try"), formatTime(order.next_try_at)]] as const) : []),
        ...(order.code ? ([[t("order.code"), labelOf("values", order.code)]] as const) : []),
        ...(order.delivery ? ([[t("order.delivered"), order.delivery]] as const) : []),
        ...(order.reason ? ([[t("confirm.reason"), order.reason]] as const) : []),
        ...(order.completed_at ? ([[t("order.completed_at"), formatTime(order.completed_at)]] as const) : []),
      ]}
    />
  </Section>
);

/** Completes, cancels, or retries the order as it is shown: not if it was changed meanwhile. */
function Fulfil({ of: order }: { readonly of: Order }) {
  const [words, setWords] = useState("");
  const [isChecked, setIsChecked] = useState(false);
  const confirm = useConfirm();
  const silent = { onError: () => {} };
  const complete = useWrite("completeCatalogueOrder", silent);
  const cancel = useWrite("cancelCatalogueOrder", silent);
  const retry = useWrite("retryCatalogueOrder", silent);
  const error = complete.error ?? cancel.error ?? retry.error;
  const errors = fieldErrors(error);
  const call = { params: { id: String(order.id) }, headers: { "If-Match": `"${order.version}"` } };
  const body = { provider_checked: isChecked };

  const act = async (verb: "complete" | "cancel" | "retry", send: () => Promise<unknown>) => {
    for (const { reset } of [complete, cancel, retry]) reset();
    const title = t(`order.${verb}`);
    const consequence = t(`order.${verb}_effect`);
    if (!(await confirm({ title, consequence, action: title, isDanger: verb === "cancel" }))) return;
    await send().then(
      () => toast.done(t(`order.${verb}_done`)),
      () => {},
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void act("complete", () => complete.mutateAsync({ ...call, body: { ...body, delivery: words } }));
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} aria-label={t("order.fulfil")}>
      <Stack>
        <Textarea
          label={t("order.words")}
          description={t("order.words_hint")}
          required
          maxLength={500}
          value={words}
          error={errors.delivery ?? errors.reason}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        {order.provider && (
          <Checkbox
            label={t("order.checked")}
            checked={isChecked}
            onChange={(event) => setIsChecked(event.currentTarget.checked)}
          />
        )}
        {error && (
          <Alert color="red" role="alert">
            {error.message}
          </Alert>
        )}
        <Group gap="xs">
          <Button type="submit" color="teal">
            {t("order.complete")}
          </Button>
          <Button
            variant="light"
            color="red"
            disabled={words.trim() === ""}
            onClick={() => void act("cancel", () => cancel.mutateAsync({ ...call, body: { ...body, reason: words } }))}
          >
            {t("order.cancel")}
          </Button>
          {order.top_up_id !== null && order.provider && (
            <Button variant="default" onClick={() => void act("retry", () => retry.mutateAsync(call))}>
              {t("order.retry")}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}
